// Building servers: all servers of one request get their hosts together, or none of them does.
// Upstream: conductor/manager.py.
import type { ApiError } from '../../../../kernel/errors.ts';
import { latencyOf } from '../../../../kernel/latency.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { NetworkRequest } from '../../clients/network.ts';
import { deleteAllocations } from '../../clients/placement.ts';
import { insertEvents } from '../../store/servers/actions.ts';
import { findServers, updateServer } from '../../store/servers/servers.ts';
import { attachPorts } from '../servers/networks.ts';
import { asNotEnoughHosts } from '../scheduler/place.ts';
import { findHost, requestSpecOf } from '../scheduler/scheduling.ts';
import { power } from '../servers/states.ts';
import type { Mapping } from '../servers/mappings.ts';
import { attachMappings } from '../servers/volumes.ts';
import {
  doTask,
  faultOf,
  inSavepoint,
  scheduleNextTask,
  type Args,
  type Task,
  type Unwritten,
} from '../servers/tasks.ts';
import type { Server } from '../../model.ts';

/** The kind of the jobs that are builds. */
export const buildKind = 'compute.server_build';

/** The host that a request names for its servers. */
export interface Destination {
  readonly host: string | null;
  readonly node: string | null;
  /** Whether no filter runs. */
  readonly forced: boolean;
}

/** What a build needs to know beyond what the servers say themselves. */
export interface BuildArgs {
  readonly networks: readonly NetworkRequest[];
  readonly mappings: readonly Mapping[];
  readonly destination: Destination;
}

export interface BuildPayload extends BuildArgs {
  readonly servers: readonly { readonly uuid: string; readonly action: number }[];
}

const schedulingEvent = 'conductor_schedule_and_build_instances';

/** Finds hosts for the servers of a request. */
export async function runBuild(context: Context, payload: BuildPayload): Promise<void> {
  const actions = new Map(payload.servers.map(({ uuid, action }) => [uuid, action]));
  const servers = (await findServers(context.db, [...actions.keys()])).filter(
    ({ uuid, actionId }) => actionId === actions.get(uuid),
  );
  const done = await inSavepoint(context, (inner) =>
    scheduleAll(inner, servers, payload.destination),
  );
  if ('error' in done) return failAll(context, servers, done.error);
  const { networks, mappings } = payload;
  const atOnce = latencyOf(context, 'server.create') === 0;
  for (const placed of done.value) {
    // What takes no time is done at once: a job of its own would only cost another transaction.
    if (atOnce) await doTask(context, placed.server, spawn, { networks, mappings }, placed);
    else await spawnLater(context, placed, { networks, mappings });
  }
}

/** A server with its host, which is written unless it is among the changes. */
interface Placed extends Unwritten {
  readonly server: Server;
}

/** Selects hosts for all of the servers. @throws Fault where one of them has none */
async function scheduleAll(
  context: Context,
  servers: readonly Server[],
  destination: Destination,
): Promise<Placed[]> {
  const { db, now } = context;
  const placed: Placed[] = [];
  for (const server of servers) {
    const spec = await requestSpecOf(db, server, destination);
    const { host, node, zone } = await findHost(context, server, spec).catch((error: unknown) => {
      throw placed.length ? asNotEnoughHosts(error) : error;
    });
    const events = [eventOf(context, 'Success', host, null)];
    const changes = { host, node, zone, taskState: 'spawning' };
    // The hosts of the others are chosen by what is written of this one.
    if (servers.length > 1)
      placed.push({ server: await updateServer(db, server, changes, now), changes: {}, events });
    else placed.push({ server: { ...server, ...changes }, changes, events });
  }
  return placed;
}

async function spawnLater(
  context: Context,
  { server, changes, events }: Placed,
  args: Args,
): Promise<void> {
  await insertEvents(context.db, server.actionId!, events);
  if (Object.keys(changes).length) await updateServer(context.db, server, changes, context.now);
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
    const changes = {
      vmState: 'error',
      taskState: null,
      actionId: null,
      fault: faultOf(error, now),
    };
    await updateServer(db, server, changes, now);
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

/** The last task of a build: the server gets its ports and volumes, and runs. */
export const spawn: Task = {
  event: 'compute__do_build_and_run_instance',
  async run(context, server, args: Args) {
    const { networks, mappings } = args as unknown as BuildArgs;
    await attachPorts(context, server, networks);
    await attachMappings(context, server, mappings, server.host!);
    return { vmState: 'active', powerState: power.running, launchedAt: context.now, progress: 0 };
  },
  async failed(context, server) {
    await deleteAllocations(context, server.uuid);
    return { vmState: 'error', host: null, node: null, zone: null };
  },
};
