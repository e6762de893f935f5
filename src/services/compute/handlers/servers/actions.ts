// The actions of servers, by the only key of the body.
import { accepted, noContent, ok } from '../../../../kernel/http/reply.ts';
import { badRequest } from '../../../../kernel/errors.ts';
import { authorize } from '../../../../kernel/http/steps.ts';
import type { Actions, ComputeCall, Handler } from '../../call.ts';
import { canonicalIp } from '../../domain/addresses.ts';
import {
  isLockedByOther,
  lock,
  rebuild,
  resetState,
  unlock,
} from '../../domain/lifecycle/changes.ts';
import { requireState } from '../../domain/servers/checks.ts';
import { deleteServer } from '../../domain/lifecycle/delete.ts';
import {
  startConfirm,
  startEvacuation,
  startLiveMigration,
  startMigration,
  startResize,
  startRevert,
} from '../../domain/moves/requests.ts';
import { acquireQuotaLock } from '../../domain/servers/quotas.ts';
import { shelve, shelveOffload, unshelve } from '../../domain/lifecycle/shelves.ts';
import { startTransition } from '../../domain/lifecycle/transitions.ts';
import type { TransitionName } from '../../domain/servers/task-args.ts';
import { isTrue } from '../../../../kernel/oslo/booleans.ts';
import { findServer } from '../../store/servers/servers.ts';
import { renderComputeError } from '../../errors.ts';
import { hrefTo } from '../../views/links.ts';
import { injectNetworkInfo, resetNetwork, triggerCrashDump } from './admin-actions.ts';
import { consoleActions, getConsoleOutput } from './consoles.ts';
import { createServerBackup, createServerImage } from './images.ts';
import { addressActions } from './addresses.ts';
import { lastPart, readFiles, type CreateBody } from './requests.ts';
import { rescueServer } from './rescue.ts';
import { addSecurityGroup, removeSecurityGroup } from './security-groups.ts';
import { serverOf, targetOf } from './subject.ts';
import { passwordOf, shown } from './servers.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { ServerChanges } from '../../model.ts';

/** The value of the action's key. */
const under = <T>(call: ComputeCall, key: string): T => (call.body as Record<string, T>)[key]!;

/** An action that only changes the state. */
const changing =
  (rule: string, name: TransitionName): Handler =>
  async (call) => {
    await startTransition(call, await serverOf(call, rule), name);
    return accepted();
  };

async function reboot(call: ComputeCall): Promise<Reply> {
  const { type } = under<{ type: string }>(call, 'reboot');
  const server = await serverOf(call, 'servers:reboot');
  await startTransition(call, server, type.toUpperCase() === 'HARD' ? 'rebootHard' : 'reboot');
  return accepted();
}

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

async function rebuildServer(call: ComputeCall): Promise<Reply> {
  const given = under<RebuildBody>(call, 'rebuild');
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

async function resize(call: ComputeCall): Promise<Reply> {
  const body = under<{ flavorRef: string | number; 'OS-DCF:diskConfig'?: string }>(call, 'resize');
  await acquireQuotaLock(call);
  const server = await serverOf(call, 'servers:resize');
  await startResize(call, server, lastPart(String(body.flavorRef)), body['OS-DCF:diskConfig']);
  return accepted();
}

async function confirmResize(call: ComputeCall): Promise<Reply> {
  await startConfirm(call, await serverOf(call, 'servers:confirm_resize'));
  return noContent();
}

async function revertResize(call: ComputeCall): Promise<Reply> {
  await startRevert(call, await serverOf(call, 'servers:revert_resize'));
  return accepted();
}

async function migrate(call: ComputeCall): Promise<Reply> {
  const body = under<{ host?: string | null } | null>(call, 'migrate');
  const host = (call.version.has('2.56') && body?.host) || null;
  const server = await serverOf(
    call,
    host === null ? 'os-migrate-server:migrate' : 'os-migrate-server:migrate:host',
  );
  await startMigration(call, server, host);
  return accepted();
}

interface LiveBody {
  host: string | null;
  force?: boolean | string;
}

async function migrateLive(call: ComputeCall): Promise<Reply> {
  const { host, force } = under<LiveBody>(call, 'os-migrateLive');
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
  // A fault that is thrown would undo what is on record of the failure: the action and the
  // migration.
  return failure ? renderComputeError(failure, call) : accepted();
}

interface EvacuateBody {
  host?: string;
  onSharedStorage?: boolean | string;
  adminPass?: string;
  force?: boolean | string;
}

async function evacuate(call: ComputeCall): Promise<Reply> {
  const { host, onSharedStorage, adminPass, force } = under<EvacuateBody>(call, 'evacuate');
  const { version } = call;
  const server = await serverOf(call, 'os-evacuate');
  if (isTrue(force) && host === undefined)
    throw badRequest("Can't force to a non-provided destination");
  if (!version.has('2.14') && isTrue(onSharedStorage) && adminPass !== undefined)
    throw badRequest("admin password can't be changed on existing disk");
  const forced = host !== undefined && (version.has('2.29') ? isTrue(force) : true);
  await startEvacuation(call, server, { host: host ?? null, forced, stayOff: version.has('2.95') });
  if (version.has('2.14')) return ok(undefined);
  return ok({ adminPass: adminPass ?? (isTrue(onSharedStorage) ? null : passwordOf(call)) });
}

async function lockServer(call: ComputeCall): Promise<Reply> {
  const body = under<{ locked_reason?: string } | null>(call, 'lock');
  const server = await serverOf(call, 'os-lock-server:lock');
  await lock(call, server, (call.version.has('2.73') && body?.locked_reason) || null);
  return accepted();
}

async function unlockServer(call: ComputeCall): Promise<Reply> {
  const server = await serverOf(call, 'os-lock-server:unlock');
  if (isLockedByOther(call, server))
    authorize(call, 'os_compute_api:os-lock-server:unlock:unlock_override', targetOf(server));
  await unlock(call, server);
  return accepted();
}

async function shelveServer(call: ComputeCall): Promise<Reply> {
  await shelve(call, await serverOf(call, 'os-shelve:shelve'));
  return accepted();
}

async function shelveOffloadServer(call: ComputeCall): Promise<Reply> {
  await shelveOffload(call, await serverOf(call, 'os-shelve:shelve_offload'));
  return accepted();
}

async function unshelveServer(call: ComputeCall): Promise<Reply> {
  const body = under<{ availability_zone?: string | null; host?: string } | null>(call, 'unshelve');
  const server = await serverOf(call, 'os-shelve:unshelve');
  const zone = call.version.has('2.77') ? body?.availability_zone : undefined;
  const host = call.version.has('2.91') ? body?.host : undefined;
  if (host !== undefined)
    authorize(call, 'os_compute_api:os-shelve:unshelve_to_host', targetOf(server));
  await unshelve(call, server, { zone, host });
  return accepted();
}

async function resetServerState(call: ComputeCall): Promise<Reply> {
  const { state } = under<{ state: string }>(call, 'os-resetState');
  await resetState(call, await serverOf(call, 'os-admin-actions:reset_state'), state);
  return accepted();
}

async function forceDelete(call: ComputeCall): Promise<Reply> {
  await deleteServer(call, await serverOf(call, 'os-deferred-delete:force'), true);
  return accepted();
}

/** No server is ever soft-deleted, so every state is refused. */
async function restore(call: ComputeCall): Promise<Reply> {
  const server = await serverOf(call, 'os-deferred-delete:restore');
  requireState(call, server, { action: 'restore', vmStates: ['soft-delete'] });
  return accepted();
}

/** All actions, by key. */
export const serverActions: Actions = {
  'os-start': changing('servers:start', 'start'),
  'os-stop': changing('servers:stop', 'stop'),
  pause: changing('os-pause-server:pause', 'pause'),
  unpause: changing('os-pause-server:unpause', 'unpause'),
  suspend: changing('os-suspend-server:suspend', 'suspend'),
  resume: changing('os-suspend-server:resume', 'resume'),
  unrescue: changing('os-unrescue', 'unrescue'),
  changePassword: changing('os-admin-password', 'changePassword'),
  rescue: rescueServer,
  reboot,
  rebuild: rebuildServer,
  resize,
  confirmResize,
  revertResize,
  migrate,
  'os-migrateLive': migrateLive,
  evacuate,
  lock: lockServer,
  unlock: unlockServer,
  shelve: shelveServer,
  shelveOffload: shelveOffloadServer,
  unshelve: unshelveServer,
  createImage: createServerImage,
  createBackup: createServerBackup,
  addSecurityGroup,
  removeSecurityGroup,
  ...addressActions,
  'os-resetState': resetServerState,
  forceDelete,
  restore,
  injectNetworkInfo,
  resetNetwork,
  trigger_crash_dump: { span: ['2.17'], handler: triggerCrashDump },
  'os-getConsoleOutput': getConsoleOutput,
  ...consoleActions,
};
