// Polls a server until it reaches a status. The first poll follows at once, or after the latency
// that Compute simulates; later ones follow every other second.
import { SECOND, type Micros } from '../../../../kernel/clock.ts';
import { latencyOf } from '../../../../kernel/latency.ts';
import * as compute from '../../clients/compute.ts';
import type { Json } from '../../model.ts';
import { DriverFailure, type Pending, type Physical } from './types.ts';

const pollInterval = 2 * SECOND;
/** How long a server may take. Upstream: default_nova_timeout. */
const pollTimeout = 600 * SECOND;

/** How many polls follow without an interval. */
const immediatePolls = 8;

/** How long upstream's fake driver sleeps: profiles for tests set it in their metadata. */
function simulatedWait({ metadata }: Json): Micros {
  const seconds = Number((metadata as Json | null)?.['simulated_wait_time'] ?? 0);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 3600) * SECOND : 0;
}

/**
 * Begins to poll.
 * @param latency Compute's name for the latency of what it does
 * @param isSimulated whether the profile can make it take longer
 */
export function firstPoll(
  { context, properties, memory }: Physical,
  latency: string,
  isSimulated = false,
): Pending {
  const { now } = context;
  const wait = Math.max(latencyOf(context, latency), isSimulated ? simulatedWait(properties) : 0);
  return { nextCheckAt: now + wait, memory: { ...memory, since: now, looks: 0 } };
}

/** Polls again. @throws DriverFailure after the timeout */
export function pollAgain({ context, memory }: Physical, failure: string): Pending {
  const { since = 0, looks = 0 } = memory;
  if (context.now - since > pollTimeout)
    throw new DriverFailure(`${failure}: Timeout in waiting for the server.`);
  const polls = looks + 1;
  // Compute needs a few jobs. Without latencies they are due now, and run before the next poll.
  const interval = polls <= immediatePolls ? 0 : pollInterval;
  return { nextCheckAt: context.now + interval, memory: { ...memory, looks: polls } };
}

/**
 * Checks whether the node's server has reached a status.
 * @returns undefined if it has
 * @throws DriverFailure if the server no longer exists, is in error, or takes too long
 */
export async function pollForStatus(
  physical: Physical,
  status: string,
  failure: string,
): Promise<Pending | undefined> {
  const { context, node } = physical;
  const server = await compute.findServer(context, node.physicalId!);
  if (!server) throw new DriverFailure(`${failure}: No Server found for ${node.physicalId}.`);
  if (server.status === status) return undefined;
  const hasResizeFailed =
    status === 'VERIFY_RESIZE' &&
    server.status === 'ACTIVE' &&
    server['OS-EXT-STS:task_state'] === null;
  if (hasResizeFailed)
    throw new DriverFailure(
      `${failure}: ${server.fault?.message ?? 'the server could not be resized'}.`,
    );
  if (server.status === 'ERROR')
    throw new DriverFailure(`${failure}: ${server.fault?.message ?? 'the server is in error'}.`);
  return pollAgain(physical, failure);
}

/** The metadata of a server: those of its profile, as text, and its node and cluster. */
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
