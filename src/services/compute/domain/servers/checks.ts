// Whether something may be done to a server at all: its lock, its state, its host. Upstream:
// compute/api.py check_instance_state.
import { conflict, type ApiError } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { Server } from '../../model.ts';

/**
 * For a server whose state, or whose lack of one, does not allow an action. Upstream:
 * api/openstack/common.py.
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

/** What a server must be for an action. */
export interface Requirement {
  /** What the refusal calls it. */
  readonly action: string;
  readonly vmStates?: readonly string[];
  /** The task states, null for none; undefined for any. */
  readonly taskStates?: readonly (string | null)[] | undefined;
  /** Whether the server must have run at least once. */
  readonly launched?: boolean;
  /**
   * Whether it must be on a host, and whether that is looked at before its states or after them.
   */
  readonly onHost?: 'first' | 'last';
  /** Whether a lock does not matter. */
  readonly evenLocked?: boolean;
}

/**
 * @throws 409 where the server is locked and the actor no administrator, where it is not on a host,
 *   or in another state
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

/** @throws 409 where the server is on no host */
function requireOnHost({ uuid, host }: Server): void {
  if (host === null) throw conflict(`Instance ${uuid} is not ready`);
}

/** No task may be going on. */
export const idle: readonly (string | null)[] = [null];
