// The actions that change only the state of a server: power, lock, reset, forced deletion.
import { accepted } from '../../../../../kernel/http/reply.ts';
import { authorize } from '../../../../../kernel/http/steps.ts';
import type { Reply } from '../../../../../kernel/model.ts';
import type { ComputeCall, Handler } from '../../../call.ts';
import { isLockedByOther, lock, resetState, unlock } from '../../../domain/lifecycle/changes.ts';
import { deleteServer } from '../../../domain/lifecycle/delete.ts';
import { startTransition } from '../../../domain/lifecycle/transitions.ts';
import { restoreServer } from '../../../domain/lifecycle/soft-delete.ts';
import { acquireQuotaLock } from '../../../domain/servers/quotas.ts';
import type { TransitionName } from '../../../domain/servers/task-args.ts';
import { serverOf, targetOf } from '../subject.ts';
import { argumentsOf } from '../../action-body.ts';

/** An action that starts a transition to another state, and has no arguments. */
export const transition =
  (rule: string, name: TransitionName): Handler =>
  async (call) => {
    await startTransition(call, await serverOf(call, rule), name);
    return accepted();
  };

export async function reboot(call: ComputeCall): Promise<Reply> {
  const { type } = argumentsOf<{ type: string }>(call, 'reboot');
  const server = await serverOf(call, 'servers:reboot');
  await startTransition(call, server, type.toUpperCase() === 'HARD' ? 'rebootHard' : 'reboot');
  return accepted();
}

export async function lockServer(call: ComputeCall): Promise<Reply> {
  const body = argumentsOf<{ locked_reason?: string } | null>(call, 'lock');
  const server = await serverOf(call, 'os-lock-server:lock');
  await lock(call, server, (call.version.has('2.73') && body?.locked_reason) || null);
  return accepted();
}

export async function unlockServer(call: ComputeCall): Promise<Reply> {
  const server = await serverOf(call, 'os-lock-server:unlock');
  if (isLockedByOther(call, server))
    authorize(call, 'os_compute_api:os-lock-server:unlock:unlock_override', targetOf(server));
  await unlock(call, server);
  return accepted();
}

export async function resetServerState(call: ComputeCall): Promise<Reply> {
  const { state } = argumentsOf<{ state: 'active' | 'error' }>(call, 'os-resetState');
  await resetState(call, await serverOf(call, 'os-admin-actions:reset_state'), state);
  return accepted();
}

export async function forceDelete(call: ComputeCall): Promise<Reply> {
  await deleteServer(call, await serverOf(call, 'os-deferred-delete:force'), true);
  return accepted();
}

export async function restore(call: ComputeCall): Promise<Reply> {
  await acquireQuotaLock(call);
  await restoreServer(call, await serverOf(call, 'os-deferred-delete:restore'));
  return accepted();
}
