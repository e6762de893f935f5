// Checks whether the lock, the state and the host of a server allow an action. Upstream:
// compute/api.py check_instance_state.
import { conflict, type ApiError } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { Server } from '../../model.ts';

/**
 * The error for a server whose state does not allow an action; `state` is null if the server lacks
 * the attribute. Upstream: api/openstack/common.py.
 */
export const wrongState = (
  { uuid }: Server,
  action: string,
  attribute: string,
  state: string | null,
): ApiError =>
  conflict(
    state === null
      ? `Instance ${uuid} is in an invalid state for '${action}'`
      : `Cannot '${action}' instance ${uuid} while it is in ${attribute} ${state}`,
  );

/** The requirements of an action. */
export interface Requirement {
  /** The name of the action in the error message. */
  readonly action: string;
  readonly vmStates?: readonly string[];
  /** The allowed task states, where null means no task; undefined allows any. */
  readonly taskStates?: readonly (string | null)[] | undefined;
  /** Whether the server must have run at least once. */
  readonly launched?: boolean;
  /** Requires the server to be on a host, which is checked before its states or after them. */
  readonly onHost?: 'first' | 'last';
  /** Whether the action is allowed on a locked server. */
  readonly evenLocked?: boolean;
}

/**
 * @throws 409 if the server is locked and the actor is not an administrator, if it must be on a
 *   host and is not, or if its state does not allow the action
 */
export function requireState(
  { actor }: Pick<Context, 'actor'>,
  server: Server,
  requirement: Requirement,
): void {
  const { action, vmStates, taskStates, launched = true, onHost, evenLocked = false } = requirement;
  if (!evenLocked && server.lockedBy !== null && !actor.isAdmin)
    throw conflict(`Instance ${server.uuid} is locked`);
  if (onHost === 'first') requireOnHost(server);
  if (vmStates && !vmStates.includes(server.vmState))
    throw wrongState(server, action, 'vm_state', server.vmState);
  if (taskStates && !taskStates.includes(server.taskState))
    throw wrongState(server, action, 'task_state', server.taskState);
  if (launched && server.launchedAt === null) throw wrongState(server, action, 'launched_at', null);
  if (onHost === 'last') requireOnHost(server);
}

/** @throws 409 if the server is on no host */
function requireOnHost({ uuid, host }: Server): void {
  if (host === null) throw conflict(`Instance ${uuid} is not ready`);
}

/** The task states of a server without a running task. */
export const idle: readonly (string | null)[] = [null];
