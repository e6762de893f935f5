// Waiting for a server: a driver looks at once or after the latency that Compute has, and then
// every other second.
import { SECOND, type Micros } from '../../../../kernel/clock.ts';
import * as compute from '../../clients/compute.ts';
import type { Json } from '../../model.ts';
import { DriverFailure, type Physical, type Progress } from './types.ts';
import { latencyOf } from '../../../../kernel/latency.ts';

/**
 * How often a server is looked at that takes longer than expected, and how long at most. Upstream:
 * default_nova_timeout.
 */
const pollInterval = 2 * SECOND;
const patience = 600 * SECOND;

/** How often a server is looked at in the same moment. */
const pollsPerRun = 8;

/** How long upstream's fake driver sleeps, which profiles for tests ask for in their metadata. */
function simulatedWait({ metadata }: Json): Micros {
  const asked = Number((metadata as Json | null)?.['simulated_wait_time'] ?? 0);
  return Number.isFinite(asked) && asked > 0 ? Math.min(asked, 3600) * SECOND : 0;
}

/** When to look first at what Compute does with the latency of that name. */
export function firstPoll(
  { context, properties, memory }: Physical,
  latency: string,
  simulated = false,
): Micros {
  memory['since'] = context.now;
  memory['looks'] = 0;
  return (
    context.now + Math.max(latencyOf(context, latency), simulated ? simulatedWait(properties) : 0)
  );
}

/** Looks again a little later. @throws DriverFailure once it has taken too long */
export function pollAgain({ context, memory }: Physical, failure: string): Progress {
  if (context.now - (memory['since'] as Micros) > patience)
    throw new DriverFailure(`${failure}: Timeout in waiting for the server.`);
  const polls = ((memory['looks'] as number | undefined) ?? 0) + 1;
  memory['looks'] = polls;
  // What Compute does takes a few jobs, which without latencies are due now, but come before the
  // next look.
  return { nextCheckAt: polls <= pollsPerRun ? context.now : context.now + pollInterval };
}

/**
 * Whether the node's server has the status by now; else when to look again.
 * @throws DriverFailure where it is gone, is in error, or takes too long
 */
export async function awaited(
  physical: Physical,
  status: string,
  failure: string,
): Promise<Progress | undefined> {
  const { context, node } = physical;
  const server = await compute.findServer(context, node.physicalId!);
  if (!server) throw new DriverFailure(`${failure}: No Server found for ${node.physicalId}.`);
  if (server.status === status) return undefined;
  const isBack =
    status === 'VERIFY_RESIZE' &&
    server.status === 'ACTIVE' &&
    server['OS-EXT-STS:task_state'] === null;
  if (isBack)
    throw new DriverFailure(
      `${failure}: ${server.fault?.message ?? 'the server could not be resized'}.`,
    );
  if (server.status === 'ERROR')
    throw new DriverFailure(`${failure}: ${server.fault?.message ?? 'the server is in error'}.`);
  return pollAgain(physical, failure);
}

/** The metadata of the profile, as text, and where the server belongs. */
export function metadataOf(
  { id, clusterId, index }: Physical['node'],
  metadata: Json | null,
): Json {
  const own = Object.entries(metadata ?? {}).map(([key, value]) => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const member = clusterId ? { cluster_id: clusterId, cluster_node_index: String(index) } : {};
  return { ...(Object.fromEntries(own) as Json), cluster_node_id: id, ...member };
}
