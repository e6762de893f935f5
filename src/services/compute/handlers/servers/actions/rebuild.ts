// The action rebuild: the server boots from an image again, with new fields.
import { accepted } from '../../../../../kernel/http/reply.ts';
import { authorize } from '../../../../../kernel/http/steps.ts';
import type { Reply } from '../../../../../kernel/model.ts';
import type { ComputeCall } from '../../../call.ts';
import { rebuild } from '../../../domain/lifecycle/changes.ts';
import type { ServerChanges } from '../../../model.ts';
import { findServer } from '../../../store/servers/servers.ts';
import { hrefTo } from '../../../views/links.ts';
import { readCommonChanges, readFiles, type CommonFields, type CreateBody } from '../requests.ts';
import { detailedView, shownPassword } from '../servers.ts';
import { serverOf, targetOf } from '../subject.ts';
import { argumentsOf } from '../../action-body.ts';

interface RebuildBody extends CommonFields {
  imageRef: string;
  adminPass?: string;
  metadata?: Record<string, string>;
  personality?: CreateBody['server']['personality'];
  key_name?: string | null;
  user_data?: string | null;
  trusted_image_certificates?: string[] | null;
}

export async function rebuildServer(call: ComputeCall): Promise<Reply> {
  const fields = argumentsOf<RebuildBody>(call, 'rebuild');
  const server = await serverOf(call, 'servers:rebuild');
  if (fields.trusted_image_certificates !== undefined)
    authorize(call, 'os_compute_api:servers:rebuild:trusted_certs', targetOf(server));
  const changes: ServerChanges = {
    ...readCommonChanges(fields),
    ...(fields.metadata === undefined ? {} : { metadata: fields.metadata }),
    ...(fields.key_name === undefined ? {} : { keyName: fields.key_name }),
    ...(fields.user_data === undefined ? {} : { userData: fields.user_data }),
    ...(fields.trusted_image_certificates === undefined
      ? {}
      : { trustedCerts: fields.trusted_image_certificates }),
  };
  const files = readFiles(fields.personality);
  await rebuild(call, server, {
    imageId: fields.imageRef,
    changes,
    reimages: call.version.has('2.93'),
    files,
  });
  const rebuilt = (await findServer(call.db, server.uuid))!;
  const view = {
    ...(await detailedView(call, rebuilt, 'rebuild')),
    ...(await shownPassword(call, fields.adminPass)),
    ...call.version.since('2.57', { user_data: rebuilt.userData }),
  };
  return accepted({ server: view }, { location: hrefTo(call, `servers/${server.uuid}`) });
}
