// Builds servers. The scheduler selects hosts for all servers of a request or for none of them.
// Upstream: conductor/manager.py.
import { isDeepStrictEqual } from 'node:util';
import { contextWith } from '../../../../kernel/context.ts';
import { SECOND, type Micros } from '../../../../kernel/clock.ts';
import { ApiError } from '../../../../kernel/errors.ts';
import { latencyOf } from '../../../../kernel/latency.ts';
import type { Cloud, Context } from '../../../../kernel/model.ts';
import { deleteAllocations } from '../../clients/placement.ts';
import { insertEvents, insertEventsOfAll } from '../../store/servers/actions.ts';
import { findServers } from '../../store/servers/servers.ts';
import { changeServer, changeServers } from '../servers/change.ts';
import { attachPorts } from '../servers/networks.ts';
import type { Selection } from '../scheduler/place.ts';
import type { RequestSpec } from '../scheduler/request-spec.ts';
import { findHosts, requestSpecOf, selectAll } from '../scheduler/scheduling.ts';
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
interface Build {
  readonly context: Context;
  readonly server: Server;
  readonly payload: BuildPayload;
}

/**
 * How far apart the builds of requests may be due that share a transaction: no server is spawned
 * before the last one is placed.
 */
export const buildInterval = (cloud: Cloud): Micros =>
  latencyOf({ cloud }, 'server.create') || SECOND;

/** A request that is due. */
export interface DueBuild {
  readonly dueAt: Micros;
  readonly payload: BuildPayload;
}

/**
 * Builds the servers of requests, as if each request had been handled alone. Those of single servers
 * about which the scheduler reads the same share its queries and its writes.
 */
export async function runBuilds(job: Context, due: readonly DueBuild[]): Promise<void> {
  if (due.length === 1) return runBuild(job, due[0]!.payload);
  for (const batch of await batchesOf(job, due)) {
    if (await buildTogether(job, batch)) continue;
    for (const { payload } of batch.due) await runBuild(job, payload);
  }
}

/** Requests that follow each other. */
interface Batch {
  readonly due: DueBuild[];
  readonly servers: Server[];
  /** What their servers require; undefined for a request that is handled alone. */
  readonly spec: RequestSpec | undefined;
}

async function batchesOf(job: Context, due: readonly DueBuild[]): Promise<Batch[]> {
  const servers = new Map(
    (
      await toBuild(
        job,
        due.flatMap(({ payload }) => payload.servers),
      )
    ).map((one) => [one.uuid, one]),
  );
  const batches: Batch[] = [];
  for (const one of due) {
    const [first, ...others] = one.payload.servers;
    const server = others.length ? undefined : servers.get(first!.uuid);
    const spec = server && (await sharedSpec(job, server, one.payload));
    const last = batches.at(-1);
    if (last && spec && isDeepStrictEqual(spec, last.spec)) {
      last.due.push(one);
      last.servers.push(server!);
    } else batches.push({ due: [one], servers: server ? [server] : [], spec });
  }
  return batches;
}

/**
 * What a server requires, without its id and name.
 * @returns undefined if Placement does not have the segments of a network: its build will fail
 */
async function sharedSpec(
  job: Context,
  server: Server,
  { destination, networks }: BuildPayload,
): Promise<RequestSpec | undefined> {
  try {
    const unnamed = { ...destination, server: '', serverName: '' };
    return await requestSpecOf(job, server, unnamed, networks);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** @returns false, and changes nothing, if the requests have to be handled one at a time */
async function buildTogether(job: Context, { due, servers, spec }: Batch): Promise<boolean> {
  if (!spec || servers.length < 2) return false;
  const isInstant = latencyOf(job, 'server.create') === 0;
  const requestIds = due.map(({ payload: { requestId = job.requestId } }) => requestId);
  const done = await inSavepoint(job, (inner) =>
    selectAll(inner, servers, spec, {
      contextOf: (at) => contextWith(inner, { requestId: requestIds[at]!, now: due[at]!.dueAt }),
      staysBusy: !isInstant,
    }),
  );
  if ('error' in done) return false;
  const placed = servers.map((server, at) =>
    startOf(
      {
        context: contextWith(job, { requestId: requestIds[at]! }),
        server,
        payload: due[at]!.payload,
      },
      done.value[at]!,
    ),
  );
  await (isInstant ? spawnNow(placed) : spawnLater(placed));
  return true;
}

/** Selects hosts for the servers of a request, and spawns them. */
async function runBuild(job: Context, payload: BuildPayload): Promise<void> {
  const { requestId = job.requestId } = payload;
  const context = contextWith(job, { requestId });
  const servers = await toBuild(context, payload.servers);
  const done = await inSavepoint(context, (inner) => scheduleAll(inner, servers, payload));
  if ('error' in done) return failAll(context, servers, done.error);
  const placed = servers.map((server, at) =>
    startOf({ context, server, payload }, done.value[at]!),
  );
  const isInstant = latencyOf(context, 'server.create') === 0;
  await (isInstant ? spawnNow(placed) : spawnLater(placed));
}

/** The servers without those that a request has deleted, or whose state it has reset, since. */
const toBuild = async (
  { db }: Context,
  servers: readonly { readonly uuid: string }[],
): Promise<Server[]> =>
  (
    await findServers(
      db,
      servers.map(({ uuid }) => uuid),
    )
  ).filter(({ actionId, taskState }) => actionId !== null && taskState === 'scheduling');

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
function startOf(
  { context, server, payload: { networks, mappings } }: Build,
  { host, node, zone }: Selection,
): Started<SpawnArgs> {
  const changes = { host, node, zone, taskState: 'spawning' };
  const events = [eventOf(context, 'Success', host, null)];
  const args = { networks, mappings };
  return { context, server: { ...server, ...changes }, changes, events, args };
}

/** Without a latency, a separate job for each server would only cost another transaction. */
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
