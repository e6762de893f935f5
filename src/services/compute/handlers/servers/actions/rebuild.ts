// The action rebuild: the server boots from an image again, with new fields.
import { accepted } from '../../../../../kernel/http/reply.ts';
import { authorize } from '../../../../../kernel/http/steps.ts';
import type { Reply } from '../../../../../kernel/model.ts';
import type { ComputeCall } from '../../../call.ts';
import { canonicalIp } from '../../../domain/addresses.ts';
import { rebuild } from '../../../domain/lifecycle/changes.ts';
import type { ServerChanges } from '../../../model.ts';
import { findServer } from '../../../store/servers/servers.ts';
import { hrefTo } from '../../../views/links.ts';
import { readFiles, type CreateBody } from '../requests.ts';
import { passwordOf, shown } from '../servers.ts';
import { serverOf, targetOf } from '../subject.ts';
import { argumentsOf } from './body.ts';

interface RebuildBody {
  imageRef: string;
  name?: string;
  adminPass?: string;
  metadata?: Record<string, string>;
  description?: string | null;
  personality?: CreateBody['server']['personality'];
  key_name?: string | null;
  user_data?: string | null;
  hostname?: string;
  accessIPv4?: string;
  accessIPv6?: string;
  'OS-DCF:diskConfig'?: string;
  trusted_image_certificates?: string[] | null;
}

export async function rebuildServer(call: ComputeCall): Promise<Reply> {
  const given = argumentsOf<RebuildBody>(call, 'rebuild');
  const server = await serverOf(call, 'servers:rebuild');
  if (given.trusted_image_certificates !== undefined)
    authorize(call, 'os_compute_api:servers:rebuild:trusted_certs', targetOf(server));
  const changes: ServerChanges = {
    ...(given.name === undefined ? {} : { name: given.name.trim() }),
    ...(given.metadata === undefined ? {} : { metadata: given.metadata }),
    ...(given.description === undefined ? {} : { description: given.description }),
    ...(given.key_name === undefined ? {} : { keyName: given.key_name }),
    ...(given.user_data === undefined ? {} : { userData: given.user_data }),
    ...(given.hostname === undefined ? {} : { hostname: given.hostname }),
    ...(given.accessIPv4 === undefined ? {} : { accessIpV4: canonicalIp(given.accessIPv4) }),
    ...(given.accessIPv6 === undefined ? {} : { accessIpV6: canonicalIp(given.accessIPv6) }),
    ...(given['OS-DCF:diskConfig'] === undefined ? {} : { diskConfig: given['OS-DCF:diskConfig'] }),
    ...(given.trusted_image_certificates === undefined
      ? {}
      : { trustedCerts: given.trusted_image_certificates }),
  };
  const files = readFiles(given.personality);
  await rebuild(call, server, {
    imageId: given.imageRef,
    changes,
    reimages: call.version.has('2.93'),
    files,
  });
  const rebuilt = (await findServer(call.db, server.uuid))!;
  const view = {
    ...(await shown(call, rebuilt, 'rebuild')),
    adminPass: given.adminPass ?? passwordOf(call),
    ...call.version.since('2.57', { user_data: rebuilt.userData }),
  };
  return accepted({ server: view }, { location: hrefTo(call, `servers/${server.uuid}`) });
}
