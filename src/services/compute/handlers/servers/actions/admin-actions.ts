// Actions that do not change the server's record: injectNetworkInfo, resetNetwork,
// trigger_crash_dump.
import { accepted } from '../../../../../kernel/http/reply.ts';
import { ApiError } from '../../../../../kernel/errors.ts';
import type { ComputeCall } from '../../../call.ts';
import { idle, requireState } from '../../../domain/servers/checks.ts';
import { recordDone } from '../../../domain/servers/tasks.ts';
import { serverOf } from '../subject.ts';
import type { Reply } from '../../../../../kernel/model.ts';

/** Has no effect. Like upstream, it does not record the action. */
export async function injectNetworkInfo(call: ComputeCall): Promise<Reply> {
  const server = await serverOf(call, 'os-admin-actions:inject_network_info');
  requireState(call, server, { action: 'injectNetworkInfo', launched: false });
  return accepted();
}

/** Removed with the Xen driver in 23.0.0: upstream enforces no rule and looks up no server. */
export function resetNetwork(): never {
  throw new ApiError(410, '');
}

const statesForCrashDump = ['active', 'paused', 'rescued', 'resized', 'error'];

/** Records the action, without changing any state of the server. */
export async function triggerCrashDump(call: ComputeCall): Promise<Reply> {
  const server = await serverOf(call, 'servers:trigger_crash_dump');
  const action = 'trigger_crash_dump';
  requireState(call, server, {
    action,
    vmStates: statesForCrashDump,
    taskStates: idle,
    onHost: 'first',
  });
  await recordDone(call, server, action, 'compute_trigger_crash_dump');
  return accepted();
}
