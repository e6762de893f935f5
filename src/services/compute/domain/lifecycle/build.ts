// Builds servers. The scheduler selects hosts for all servers of a request or for none of them.
// Upstream: conductor/manager.py.
import { contextWith } from '../../../../kernel/context.ts';
import type { ApiError } from '../../../../kernel/errors.ts';
import { latencyOf } from '../../../../kernel/latency.ts';
import type { Context } from '../../../../kernel/model.ts';
import { deleteAllocations } from '../../clients/placement.ts';
import { insertEvents, insertEventsOfAll } from '../../store/servers/actions.ts';
import { changeServer, changeServers } from '../servers/change.ts';
import { attachPorts } from '../servers/networks.ts';
import type { Selection } from '../scheduler/place.ts';
import { findHosts, requestSpecOf } from '../scheduler/scheduling.ts';
import { power } from '../servers/states.ts';
import type { SpawnArgs } from '../servers/task-args.ts';
import { attachMappings } from '../servers/volumes.ts';
import {
  doTask,
  doTaskOfAll,
  faultOf,
  inSavepoint,
  scheduleNextTask,
  type Started,
  type Task,
} from '../servers/tasks.ts';
import type { Server, ServerChanges } from '../../model.ts';

/** The kind of the jobs that run builds. */
export const buildKind = 'compute.server_build';

/** The host that a request names for its servers. */
export interface Destination {
  readonly host: string | null;
  readonly node: string | null;
  /** Whether the filters are skipped. */
  readonly forced: boolean;
}

/** The servers to build, and the parameters that are not stored with them. */
export interface BuildPayload extends SpawnArgs {
  /** The id of the request that creates the servers. Jobs of older versions have none. */
  readonly requestId?: string;
  readonly destination: Destination;
  readonly servers: readonly { readonly uuid: string }[];
}

const schedulingEvent = 'conductor_schedule_and_build_instances';

/** A server to build, in the context of the request that creates it. */
export interface Build {
  readonly context: Context;
  readonly server: Server;
  readonly payload: BuildPayload;
}

/**
 * Selects hosts for the servers of a request, and spawns them.
 * @param servers those that are left to build
 */
export async function runBuild(
  job: Context,
  payload: BuildPayload,
  servers: readonly Server[],
): Promise<void> {
  const { requestId = job.requestId } = payload;
  const context = contextWith(job, { requestId });
  const done = await inSavepoint(context, (inner) => scheduleAll(inner, servers, payload));
  if ('error' in done) return failAll(context, servers, done.error);
  const placed = servers.map((server, at) =>
    startOf({ context, server, payload }, done.value[at]!),
  );
  await spawnAll(context, placed);
}

/**
 * Selects hosts for all servers of a request.
 * @throws ApiError if one of them has no valid host
 */
async function scheduleAll(
  context: Context,
  servers: readonly Server[],
  { destination, networks }: BuildPayload,
): Promise<Selection[]> {
  const [first] = servers;
  if (!first) return [];
  // The servers of a request differ in nothing that the scheduler reads.
  const spec = await requestSpecOf(context, first, destination, networks);
  return findHosts(context, servers, spec);
}

/** A server that has been placed. The changes of its row are not written yet. */
export function startOf(
  { context, server, payload: { networks, mappings } }: Build,
  { host, node, zone }: Selection,
): Started<SpawnArgs> {
  const changes = { host, node, zone, taskState: 'spawning' };
  const events = [eventOf(context, 'Success', host, null)];
  const args = { networks, mappings };
  return { context, server: { ...server, ...changes }, changes, events, args };
}

/** Whether servers are active at once. A job for each would only cost another transaction. */
export const isInstant = (context: Context): boolean => latencyOf(context, 'server.create') === 0;

/** Spawns servers that have been placed, now or after the latency. */
export const spawnAll = (context: Context, placed: readonly Started<SpawnArgs>[]): Promise<void> =>
  isInstant(context) ? spawnNow(placed) : spawnLater(placed);

async function spawnNow(placed: readonly Started<SpawnArgs>[]): Promise<void> {
  if (placed.length > 1) return doTaskOfAll(placed, spawn);
  for (const only of placed) await doTask(only.context, only.server, spawn, only.args, only);
}

async function spawnLater(placed: readonly Started<SpawnArgs>[]): Promise<void> {
  const [first] = placed;
  if (!first) return;
  const { db, now } = first.context;
  await insertEventsOfAll(
    db,
    placed.map(({ server, events }) => ({ actionId: server.actionId!, events })),
    now,
  );
  await changeServers(placed);
  for (const { context, server, args } of placed)
    await scheduleNextTask(context, server, 'spawn', args, 'server.create');
}

async function failAll(
  context: Context,
  servers: readonly Server[],
  error: ApiError,
): Promise<void> {
  const { db, now } = context;
  for (const server of servers) {
    await insertEvents(db, server.actionId!, [eventOf(context, 'Error', null, error.message)]);
    const changes: ServerChanges = {
      vmState: 'error',
      taskState: null,
      actionId: null,
      fault: faultOf(error, now),
    };
    await changeServer(context, server, changes);
  }
}

const eventOf = (
  { now }: Context,
  result: string,
  host: string | null,
  details: string | null,
) => ({
  event: schedulingEvent,
  result,
  details,
  host,
  startedAt: now,
  finishedAt: now,
});

/** The last task of a build: attaches ports and volumes to the server, and starts it. */
export const spawn: Task<SpawnArgs> = {
  event: 'compute__do_build_and_run_instance',
  writes: ({ networks, mappings }) =>
    networks.length > 0 || mappings.some(({ destination }) => destination === 'volume'),
  async run(context, server, { networks, mappings }) {
    await attachPorts(context, server, networks);
    await attachMappings(context, server, mappings, server.host!);
    return { vmState: 'active', powerState: power.running, launchedAt: context.now, progress: 0 };
  },
  async failed(context, server) {
    await deleteAllocations(context, server.uuid);
    return { vmState: 'error', host: null, node: null, zone: null };
  },
};
