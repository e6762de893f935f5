// Servers: create, show, update, delete.
import { importContext, readImport } from '../../../../kernel/http/imports.ts';
import { accepted, noContent, ok } from '../../../../kernel/http/reply.ts';
import type { ComputeCall } from '../../call.ts';
import { createServers } from '../../domain/lifecycle/create.ts';
import { deleteServer } from '../../domain/lifecycle/delete.ts';
import { updateFields } from '../../domain/servers/fields.ts';
import { loadSettings } from '../../domain/settings.ts';
import { hrefTo } from '../../views/links.ts';
import { createdView, serverView, type Extent } from '../../views/servers/servers.ts';
import {
  authorizeCreate,
  createRights,
  readCommonChanges,
  readServerRequest,
  type CommonFields,
  type CreateBody,
} from './requests.ts';
import { extrasOf, serverOf } from './subject.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { Server } from '../../model.ts';

export async function create(call: ComputeCall): Promise<Reply> {
  const body = call.body as CreateBody;
  authorizeCreate(call, body);
  const request = readServerRequest(call.version, body);
  const origin = readImport(call) ?? null;
  const [first] = await createServers(
    importContext(call, origin),
    { ...request, origin },
    createRights(call),
  );
  const { security_groups: groups = [{ name: 'default' }], return_reservation_id: reservation } =
    body.server;
  if (
    reservation === true ||
    (typeof reservation === 'string' && /^(true|1|on|yes)$/i.test(reservation))
  )
    return accepted({ reservation_id: first!.reservationId });
  const view = createdView(call, first!, groups);
  const password = await shownPassword(call, body.server.adminPass);
  return accepted(
    { server: { ...view, ...password } },
    { location: hrefTo(call, `servers/${first!.uuid}`) },
  );
}

/** What a reply shows of the password of a server: the requested one, or a generated one. */
export async function shownPassword(
  call: ComputeCall,
  requested: string | null | undefined,
): Promise<{ adminPass?: string | null }> {
  if (!(await loadSettings(call)).enableInstancePassword) return {};
  return { adminPass: requested === undefined ? generatedPassword(call) : requested };
}

/** A generated password of twelve characters. Nothing ever verifies it. */
const generatedPassword = ({ requestId }: ComputeCall): string =>
  Buffer.from(requestId.replace(/^req-/, '').replaceAll('-', ''), 'hex')
    .toString('base64')
    .replaceAll(/\W/g, '')
    .slice(0, 12)
    .padEnd(12, 'x');

export async function show(call: ComputeCall): Promise<Reply> {
  return ok({ server: await detailedView(call, await serverOf(call, 'servers:show')) });
}

/** The view of a single server with details. */
export async function detailedView(
  call: ComputeCall,
  server: Server,
  extent: Extent = 'all',
): Promise<Record<string, unknown>> {
  const extras = await extrasOf(call, [server], { groups: true });
  return serverView(call, server, extras.get(server.uuid)!, extent);
}

interface UpdateBody {
  server: CommonFields & { pinned_availability_zone?: string | null };
}

export async function update(call: ComputeCall): Promise<Reply> {
  const server = await serverOf(call, 'servers:update');
  const { server: fields } = call.body as UpdateBody;
  const { pinned_availability_zone: pinnedZone } = fields;
  const changed = await updateFields(call, server, {
    ...readCommonChanges(fields),
    ...(pinnedZone === undefined ? {} : { pinnedZone }),
  });
  return ok({ server: await detailedView(call, changed, 'update') });
}

export async function remove(call: ComputeCall): Promise<Reply> {
  await deleteServer(call, await serverOf(call, 'servers:delete'));
  return noContent();
}
