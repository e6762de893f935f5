// Whether something may be done to a server at all: its lock, its state, its host.
import { conflict, type Fault } from '../../../../kernel/fault.ts';
import type { Server } from '../../store/servers/servers.ts';

/** For a server whose state does not allow what was asked. */
export const wrongState = (server: Server, action: string, attribute: string, state: string | null): Fault =>
  conflict(`Cannot '${action}' instance ${server.uuid} while it is in ${attribute} ${state ?? 'None'}`);

/** What a server must be for something to be done to it. */
export interface Requirement {
  /** What the refusal calls it. */
  readonly action: string;
  readonly vmStates?: readonly string[];
  /** The tasks that may be going on, null for none; undefined for any. */
  readonly taskStates?: readonly (string | null)[] | undefined;
  /** Whether the server must have run at least once. */
  readonly launched?: boolean;
  /** Whether it must be on a host. */
  readonly onHost?: boolean;
  /** Whether a lock does not matter. */
  readonly evenLocked?: boolean;
}

/** @throws 409 where the server is locked, not on a host, or in another state */
export function require(server: Server, requirement: Requirement, isAdmin: boolean): void {
  const { action, vmStates, taskStates, launched = true, onHost = false, evenLocked = false } = requirement;
  if (!evenLocked && server.lockedBy !== null && !isAdmin) throw conflict(`Instance ${server.uuid} is locked`);
  if (onHost && server.host === null) throw conflict(`Instance ${server.uuid} is not ready`);
  if (vmStates && !vmStates.includes(server.vmState)) throw wrongState(server, action, 'vm_state', server.vmState);
  if (taskStates && !taskStates.includes(server.taskState)) throw wrongState(server, action, 'task_state', server.taskState);
  if (launched && server.launchedAt === null) throw wrongState(server, action, 'launched_at', null);
}

/** Nothing may be going on. */
export const idle: readonly (string | null)[] = [null];
