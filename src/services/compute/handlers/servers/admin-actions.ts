// What only looks inwards: network information for the machine, a dump of it, and what upstream has no more.
import { accepted } from '../../../../kernel/http/reply.ts';
import { Fault } from '../../../../kernel/fault.ts';
import type { ComputeCall } from '../../call.ts';
import { idle, requireState } from '../../domain/servers/checks.ts';
import { recordDone } from '../../domain/servers/tasks.ts';
import { serverOf } from './subject.ts';
import type { Reply } from '../../../../kernel/model.ts';

/** Nothing is written down of it, as upstream. */
export async function injectNetworkInfo(call: ComputeCall): Promise<Reply> {
  const server = await serverOf(call, 'os-admin-actions:inject_network_info');
  requireState(call, server, { action: 'injectNetworkInfo', launched: false });
  return accepted();
}

/** Was for the Xen driver, and went with it in 23.0.0: no rule is asked, and no server looked for. */
export function resetNetwork(): never {
  throw new Fault(410, '');
}

const dumpable = ['active', 'paused', 'rescued', 'resized', 'error'];

/** The machine is told to dump itself; what it does then is its own affair, and no state of it changes. */
export async function triggerCrashDump(call: ComputeCall): Promise<Reply> {
  const server = await serverOf(call, 'servers:trigger_crash_dump');
  const action = 'trigger_crash_dump';
  requireState(call, server, { action, vmStates: dumpable, taskStates: idle, onHost: true });
  await recordDone(call, server, action, 'compute_trigger_crash_dump');
  return accepted();
}
