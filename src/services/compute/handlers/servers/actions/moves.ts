// The actions that move a server: resize and its confirmation or reversal, migrate, os-migrateLive
// and evacuate.
import { accepted, noContent, ok } from '../../../../../kernel/http/reply.ts';
import { badRequest } from '../../../../../kernel/errors.ts';
import { isTrue } from '../../../../../kernel/oslo/booleans.ts';
import type { Reply } from '../../../../../kernel/model.ts';
import type { ComputeCall } from '../../../call.ts';
import {
  startConfirm,
  startEvacuation,
  startLiveMigration,
  startMigration,
  startResize,
  startRevert,
} from '../../../domain/moves/requests.ts';
import { acquireQuotaLock } from '../../../domain/servers/quotas.ts';
import { renderComputeError } from '../../../errors.ts';
import { idOfReference } from '../requests.ts';
import { shownPassword } from '../servers.ts';
import { serverOf } from '../subject.ts';
import { argumentsOf } from '../../action-body.ts';

export async function resize(call: ComputeCall): Promise<Reply> {
  const body = argumentsOf<{ flavorRef: string | number; 'OS-DCF:diskConfig'?: string }>(
    call,
    'resize',
  );
  await acquireQuotaLock(call);
  const server = await serverOf(call, 'servers:resize');
  await startResize(call, server, idOfReference(String(body.flavorRef)), body['OS-DCF:diskConfig']);
  return accepted();
}

export async function confirmResize(call: ComputeCall): Promise<Reply> {
  await startConfirm(call, await serverOf(call, 'servers:confirm_resize'));
  return noContent();
}

export async function revertResize(call: ComputeCall): Promise<Reply> {
  await startRevert(call, await serverOf(call, 'servers:revert_resize'));
  return accepted();
}

export async function migrate(call: ComputeCall): Promise<Reply> {
  const body = argumentsOf<{ host?: string | null } | null>(call, 'migrate');
  const host = (call.version.has('2.56') && body?.host) || null;
  const server = await serverOf(
    call,
    host === null ? 'os-migrate-server:migrate' : 'os-migrate-server:migrate:host',
  );
  await startMigration(call, server, host);
  return accepted();
}

interface LiveMigrationBody {
  host: string | null;
  force?: boolean | string;
}

export async function migrateLive(call: ComputeCall): Promise<Reply> {
  const { host, force } = argumentsOf<LiveMigrationBody>(call, 'os-migrateLive');
  const { version } = call;
  const server = await serverOf(
    call,
    host ? 'os-migrate-server:migrate_live:host' : 'os-migrate-server:migrate_live',
  );
  if (isTrue(force) && !host) throw badRequest("Can't force to a non-provided destination");
  const forced = Boolean(host) && (version.has('2.30') ? isTrue(force) : true);
  const failure = await startLiveMigration(call, server, {
    host: host || null,
    forced,
    waits: !version.has('2.34'),
  });
  // If the handler threw the error, its transaction would roll back the records of the failure: the
  // action and the migration.
  return failure ? renderComputeError(failure, call) : accepted();
}

interface EvacuateBody {
  host?: string;
  onSharedStorage?: boolean | string;
  adminPass?: string;
  force?: boolean | string;
}

export async function evacuate(call: ComputeCall): Promise<Reply> {
  const { host, onSharedStorage, adminPass, force } = argumentsOf<EvacuateBody>(call, 'evacuate');
  const { version } = call;
  const server = await serverOf(call, 'os-evacuate');
  if (isTrue(force) && host === undefined)
    throw badRequest("Can't force to a non-provided destination");
  if (!version.has('2.14') && isTrue(onSharedStorage) && adminPass !== undefined)
    throw badRequest("admin password can't be changed on existing disk");
  const forced = host !== undefined && (version.has('2.29') ? isTrue(force) : true);
  await startEvacuation(call, server, { host: host ?? null, forced, stayOff: version.has('2.95') });
  if (version.has('2.14')) return ok(undefined);
  return ok(await shownPassword(call, adminPass ?? (isTrue(onSharedStorage) ? null : undefined)));
}
