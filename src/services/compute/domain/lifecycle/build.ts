// Builds servers. The scheduler selects hosts for all servers of a request or for none of them.
// Upstream: conductor/manager.py.
import { contextWith } from '../../../../kernel/context.ts';
import type { ApiError } from '../../../../kernel/errors.ts';
import { latencyOf } from '../../../../kernel/latency.ts';
import type { Context } from '../../../../kernel/model.ts';

import { deleteAllocations } from '../../clients/placement.ts';
import { insertEvents, insertEventsOfAll } from '../../store/servers/actions.ts';
import { findServers } from '../../store/servers/servers.ts';
import { changeServer, changeServers } from '../servers/change.ts';
import { attachPorts } from '../servers/networks.ts';
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

/** Selects hosts for the servers of a request, and spawns them. */
export async function runBuild(job: Context, payload: BuildPayload): Promise<void> {
  const { requestId = job.requestId } = payload;
  const context = contextWith(job, { requestId });
  const uuids = payload.servers.map(({ uuid }) => uuid);
  // A request may have deleted a server, or reset its state, since.
  const servers = (await findServers(context.db, uuids)).filter(
    ({ actionId, taskState }) => actionId !== null && taskState === 'scheduling',
  );
  const done = await inSavepoint(context, (inner) => scheduleAll(inner, servers, payload));
  if ('error' in done) return failAll(context, servers, done.error);
  const { networks, mappings } = payload;
  const isInstant = latencyOf(context, 'server.create') === 0;
  // Without a latency, a separate job for each server would only cost another transaction.
  if (isInstant) return spawnNow(context, done.value, { networks, mappings });
  await spawnLater(context, done.value, { networks, mappings });
}

/**
 * Selects hosts for all of the servers. The changes of their rows are not written yet.
 * @throws ApiError if one of them has no valid host
 */
async function scheduleAll(
  context: Context,
  servers: readonly Server[],
  { destination, networks }: BuildPayload,
): Promise<Started[]> {
  const [first] = servers;
  if (!first) return [];
  // The servers of a request differ in nothing that the scheduler reads.
  const spec = await requestSpecOf(context, first, destination, networks);
  const selections = await findHosts(context, servers, spec);
  return servers.map((server, index) => {
    const { host, node, zone } = selections[index]!;
    const changes = { host, node, zone, taskState: 'spawning' };
    const events = [eventOf(context, 'Success', host, null)];
    return { server: { ...server, ...changes }, changes, events };
  });
}

async function spawnNow(
  context: Context,
  placed: readonly Started[],
  args: SpawnArgs,
): Promise<void> {
  if (placed.length > 1) return doTaskOfAll(context, placed, spawn, args);
  for (const only of placed) await doTask(context, only.server, spawn, args, only);
}

async function spawnLater(
  context: Context,
  placed: readonly Started[],
  args: SpawnArgs,
): Promise<void> {
  const { db, now } = context;
  await insertEventsOfAll(
    db,
    placed.map(({ server, events }) => ({ actionId: server.actionId!, events })),
    now,
  );
  await changeServers(context, placed);
  for (const { server } of placed)
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
