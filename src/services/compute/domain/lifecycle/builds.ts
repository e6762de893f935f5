// Builds the servers of several requests whose builds are due together.
import { isDeepStrictEqual } from 'node:util';
import { SECOND, type Micros } from '../../../../kernel/clock.ts';
import { contextWith } from '../../../../kernel/context.ts';
import { ApiError } from '../../../../kernel/errors.ts';
import { latencyOf } from '../../../../kernel/latency.ts';
import type { Cloud, Context } from '../../../../kernel/model.ts';
import type { RequestSpec } from '../scheduler/request-spec.ts';
import { readForSpec, selectAll, specWith, type SpecReads } from '../scheduler/scheduling.ts';
import { inSavepoint } from '../servers/tasks.ts';
import { findServers } from '../../store/servers/servers.ts';
import type { Server } from '../../model.ts';
import { isInstant, runBuild, spawnAll, startOf, type BuildPayload } from './build.ts';

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

/** Reads the servers of requests, without those that have been deleted or reset since. */
export async function serversToBuild({ db }: Context, due: readonly DueBuild[]): Promise<Server[]> {
  const uuids = due.flatMap(({ payload }) => payload.servers.map(({ uuid }) => uuid));
  return (await findServers(db, uuids)).filter(
    ({ actionId, taskState }) => actionId !== null && taskState === 'scheduling',
  );
}

/**
 * Builds the servers of requests, as if each request had been handled alone. Those of single
 * servers about which the scheduler reads the same share its queries and its writes.
 * @param servers those that are left to build
 */
export async function runBuilds(
  job: Context,
  due: readonly DueBuild[],
  servers: readonly Server[],
): Promise<void> {
  if (due.length === 1) return runBuild(job, due[0]!.payload, servers);
  const byId = new Map(servers.map((server) => [server.uuid, server]));
  for (let left = due; left.length;) {
    const batch = await firstBatch(job, left, byId);
    if (!(await buildTogether(job, batch)))
      for (const { payload } of batch.due)
        await runBuild(
          job,
          payload,
          payload.servers.flatMap(({ uuid }) => byId.get(uuid) ?? []),
        );
    left = left.slice(batch.due.length);
  }
}

/** Requests that follow each other. */
interface Batch {
  readonly due: DueBuild[];
  readonly servers: Server[];
  /** What their servers require; undefined for a request that is handled alone. */
  readonly spec: RequestSpec | undefined;
}

/** The first request, and those after it whose servers require the same. */
async function firstBatch(
  job: Context,
  [first, ...others]: readonly DueBuild[],
  servers: ReadonlyMap<string, Server>,
): Promise<Batch> {
  const reads = new Map<string, Promise<SpecReads>>();
  const specOf = async ({ payload }: DueBuild) => {
    const server = payload.servers.length === 1 && servers.get(payload.servers[0]!.uuid);
    const spec = server ? await sharedSpec(job, server, payload, reads) : undefined;
    return server && spec && { server, spec };
  };
  const one = await specOf(first!);
  const batch = {
    due: [first!],
    servers: one ? [one.server] : [],
    spec: one ? one.spec : undefined,
  };
  for (const next of one ? others : []) {
    const other = await specOf(next);
    if (!other || !isDeepStrictEqual(other.spec, batch.spec)) break;
    batch.due.push(next);
    batch.servers.push(other.server);
  }
  return batch;
}

/**
 * What a server requires, without its id and name.
 * @param reads what has been read for servers of the batch, by what it depends on
 * @returns undefined if Placement does not have the segments of a network: its build will fail
 */
async function sharedSpec(
  job: Context,
  server: Server,
  { destination, networks }: BuildPayload,
  reads: Map<string, Promise<SpecReads>>,
): Promise<RequestSpec | undefined> {
  const key = JSON.stringify([server.groupId, networks]);
  const read = reads.get(key) ?? readForSpec(job, server, networks);
  reads.set(key, read);
  try {
    return specWith(await read, server, { ...destination, server: '', serverName: '' });
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/**
 * Places servers, and then spawns them. One that cannot be spawned has still taken its host while
 * the others were placed.
 * @returns false, and changes nothing, if the requests have to be handled one at a time
 */
async function buildTogether(job: Context, { due, servers, spec }: Batch): Promise<boolean> {
  if (!spec || servers.length < 2) return false;
  const requestIds = due.map(({ payload: { requestId = job.requestId } }) => requestId);
  const done = await inSavepoint(job, (inner) =>
    selectAll(inner, servers, spec, {
      contextOf: (at) => contextWith(inner, { requestId: requestIds[at]!, now: due[at]!.dueAt }),
      staysBusy: !isInstant(job),
    }),
  );
  if ('error' in done) return false;
  // Spawned now, all in the same statements; or later, each as long after its own build.
  const startOfSpawn = (at: number): Micros => (isInstant(job) ? job.now : due[at]!.dueAt);
  const placed = servers.map((server, at) =>
    startOf(
      {
        context: contextWith(job, { requestId: requestIds[at]!, now: startOfSpawn(at) }),
        server,
        payload: due[at]!.payload,
      },
      done.value[at]!,
    ),
  );
  await spawnAll(job, placed);
  return true;
}
