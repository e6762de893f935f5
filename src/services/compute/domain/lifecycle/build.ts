// Builds servers. The scheduler selects hosts for all servers of a request or for none of them.
// Upstream: conductor/manager.py.
import type { ApiError } from '../../../../kernel/errors.ts';
import { latencyOf } from '../../../../kernel/latency.ts';
import type { Context } from '../../../../kernel/model.ts';

import { deleteAllocations } from '../../clients/placement.ts';
import { insertEvents } from '../../store/servers/actions.ts';
import { findServers, updateServer } from '../../store/servers/servers.ts';
import { attachPorts } from '../servers/networks.ts';
import { asNotEnoughHosts } from '../scheduler/place.ts';
import { findHost, requestSpecOf } from '../scheduler/scheduling.ts';
import { power } from '../servers/states.ts';
import type { SpawnArgs } from '../servers/task-args.ts';
import { attachMappings } from '../servers/volumes.ts';
import {
  doTask,
  faultOf,
  inSavepoint,
  scheduleNextTask,
  type Task,
  type Unwritten,
} from '../servers/tasks.ts';
import type { Server } from '../../model.ts';

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
  readonly destination: Destination;
  readonly servers: readonly { readonly uuid: string; readonly action: number }[];
}

const schedulingEvent = 'conductor_schedule_and_build_instances';

/** Selects hosts for the servers of a request, and spawns them. */
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
  const isInstant = latencyOf(context, 'server.create') === 0;
  for (const placed of done.value) {
    // Without a latency, a separate job would only cost another transaction.
    if (isInstant) await doTask(context, placed.server, spawn, { networks, mappings }, placed);
    else await spawnLater(context, placed, { networks, mappings });
  }
}

/** A server with its selected host, which is already written unless `changes` contains it. */
interface Placed extends Unwritten {
  readonly server: Server;
}

/** Selects hosts for all of the servers. @throws ApiError if one of them has no valid host */
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
    // The scheduler must see the host of this server when it selects those of the next ones.
    if (servers.length > 1)
      placed.push({ server: await updateServer(db, server, changes, now), changes: {}, events });
    else placed.push({ server: { ...server, ...changes }, changes, events });
  }
  return placed;
}

async function spawnLater(
  context: Context,
  { server, changes, events }: Placed,
  args: SpawnArgs,
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

/** The last task of a build: attaches ports and volumes to the server, and starts it. */
export const spawn: Task<SpawnArgs> = {
  event: 'compute__do_build_and_run_instance',
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
