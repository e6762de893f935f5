// URLs of the consoles of servers, and the console log. Upstream: remote_consoles.py and
// console_output.py in api/openstack/compute.
import { badRequest, type ApiError } from '../../../../kernel/errors.ts';
import { ok } from '../../../../kernel/http/reply.ts';
import { authorize } from '../../../../kernel/http/steps.ts';
import type { ComputeCall, SpannedAction } from '../../call.ts';
import { requireState, wrongState } from '../../domain/servers/checks.ts';
import { consoleLogOf, openConsole } from '../../domain/lifecycle/consoles.ts';
import { consoleUrl } from '../../views/servers/console-page.ts';
import { argumentsOf } from '../action-body.ts';
import { ownTarget } from '../../steps.ts';
import { serverOf, serverOfPath } from './subject.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { Server } from '../../model.ts';

const rule = 'os-remote-consoles';

/** @throws 409 if the server is on no host */
function requireHost(call: ComputeCall, server: Server, action: string): void {
  requireState(call, server, { action, onHost: 'first', launched: false, evenLocked: true });
}

const statesWithoutConsole: readonly (string | null)[] = ['deleting', 'migrating'];

/** The error for a wrong task state. Upstream returns 409 only for VNC. */
const wrongTaskState = ({ uuid, taskState }: Server, method: string): ApiError =>
  badRequest(
    `Instance ${uuid} in task_state ${taskState}. Cannot ${method} while the instance is in this ` +
      'state.',
  );

/** Opens a console of a server that a client may use. @returns its URL */
async function urlOf(
  call: ComputeCall,
  server: Server,
  protocol: string,
  type: string,
): Promise<string> {
  const token = await openConsole(call, server, protocol, type);
  return consoleUrl(call, type, token);
}

/** An action that opens a console, until 2.5. It enforces its rule before it finds the server. */
const consoleAction = (action: string, protocol: string): SpannedAction => ({
  span: ['2.1', '2.5'],
  async handler(call: ComputeCall) {
    const { type } = argumentsOf<{ type: string }>(call, action);
    authorize(call, `os_compute_api:${rule}`, ownTarget(call));
    const server = await serverOfPath(call);
    const method = `get_${protocol}_console`;
    requireHost(call, server, method);
    if (statesWithoutConsole.includes(server.taskState)) {
      throw protocol === 'vnc'
        ? wrongState(server, method, 'task_state', server.taskState)
        : wrongTaskState(server, method);
    }
    return ok({ console: { type, url: await urlOf(call, server, protocol, type) } });
  },
});

/** The actions that open consoles, by name. */
export const consoleActions: Readonly<Record<string, SpannedAction>> = {
  'os-getVNCConsole': consoleAction('os-getVNCConsole', 'vnc'),
  'os-getSPICEConsole': consoleAction('os-getSPICEConsole', 'spice'),
  'os-getSerialConsole': consoleAction('os-getSerialConsole', 'serial'),
  // Removed with the Hyper-V driver. Upstream: api/openstack/compute/remote_consoles.py
  // get_rdp_console.
  'os-getRDPConsole': {
    span: ['2.1', '2.5'],
    handler() {
      throw badRequest(
        'The server could not comply with the request since it is either malformed or otherwise ' +
          'incorrect.',
      );
    },
  },
};

interface Body {
  remote_console: { protocol: string; type: string };
}

export async function create(call: ComputeCall): Promise<Reply> {
  const { protocol, type } = (call.body as Body).remote_console;
  const server = await serverOf(call, rule);
  if (protocol === 'rdp') throw badRequest(`Unavailable console type ${protocol}.`);
  const method = `get_${protocol}_console`;
  requireHost(call, server, method);
  if (statesWithoutConsole.includes(server.taskState)) throw wrongTaskState(server, method);
  const url = await urlOf(call, server, protocol, type);
  return ok({ remote_console: { protocol, type, url } });
}

/**
 * Returns the last lines of the console log. A negative length skips lines at the beginning.
 * Upstream: compute/manager.py _tail_log.
 */
export async function getConsoleOutput(call: ComputeCall): Promise<Reply> {
  const { length } = argumentsOf<{ length?: number | string | null }>(call, 'os-getConsoleOutput');
  const server = await serverOf(call, 'os-console-output');
  requireHost(call, server, 'get_console_output');
  const lines = consoleLogOf(server);
  const tail = length === undefined || length === null ? lines.length : Number(length);
  return ok({ output: tail === 0 ? '' : lines.slice(-tail).join('\n') });
}
