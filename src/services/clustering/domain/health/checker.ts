// The health manager: looks after the nodes of registered clusters, and asks for the recovery of
// those that are not well.
import { SECOND, pause } from '../../../../kernel/clock.ts';
import { inRegionTransaction, contextWith } from '../../../../kernel/context.ts';
import { isUnreachable } from '../../../../kernel/db/errors.ts';
import type { Actor, Job, Region, Context } from '../../../../kernel/model.ts';
import { runDueJobsOfOtherRegion } from '../../../../kernel/jobs/runner.ts';
import { ApiError } from '../../../../kernel/errors.ts';
import { findServer, hypervisors } from '../../clients/compute.ts';
import * as store from '../../store/index.ts';
import { actOnNode } from '../nodes/nodes.ts';
import { actingOn } from '../delegation.ts';
import { regionOf } from '../nodes/location.ts';
import { regionNamed } from '../nodes/regions.ts';
import type { Json, Node } from '../../model.ts';
import { next, nextRound, type DetectionMode, type HealthParams } from './registry.ts';

/** A node that stands in another region than its cluster, and for whom it is asked about there. */
interface Away {
  readonly node: Node;
  readonly region: string;
  readonly actor: Actor;
}

interface Round {
  readonly params: HealthParams;
  readonly members: readonly Node[];
  readonly away: readonly Away[];
}

/** Node and mode -> whether the node is well. */
type Verdicts = Map<string, boolean>;

/**
 * Looks at a cluster. URLs are asked outside of any transaction, the cloud inside of one, and each
 * other region in one of its own.
 */
export async function checkHealth(
  context: Context,
  { subject }: Pick<Job, 'subject'>,
): Promise<void> {
  const round = await inRegionTransaction(context, context.region, (inner) =>
    begin(inner, subject),
  );
  if (!round) return;
  const polled = await pollAll(round);
  for (const away of round.away) await lookThere(context, round, away, polled);
  await inRegionTransaction(context, context.region, (inner) =>
    judge(inner, subject, round, polled),
  );
}

/** The next look is written down first. @returns undefined where nothing is to be looked at */
async function begin(context: Context, clusterId: string): Promise<Round | undefined> {
  const found = await store.registry.find(context.db, { cluster_id: clusterId });
  if (!found) return undefined;
  const params = found.params as HealthParams;
  await next(context, clusterId, nextRound(context, params));
  if (!found.enabled) return undefined;
  const members = await store.membersOf(context.db, clusterId);
  const away: Away[] = [];
  for (const node of members) {
    const region = await regionOf(context, node);
    if (region && region !== context.region.name)
      away.push({ node, region, actor: (await actingOn(context, node)).actor });
  }
  return { params, members, away };
}

/** Asks another region about a node that stands there. */
async function lookThere(
  context: Context,
  { params }: Round,
  { node, region: name, actor }: Away,
  found: Verdicts,
): Promise<void> {
  const region = regionNamed(context, name);
  for (const [place, mode] of params.detection_modes.entries())
    if (asksCompute(mode))
      found.set(
        `${node.id} ${place}`,
        region ? await isWellThere(contextWith(context, { actor }), region, node, mode) : false,
      );
}

async function isWellThere(
  owner: Context,
  region: Region,
  node: Node,
  mode: DetectionMode,
): Promise<boolean> {
  try {
    await runDueJobsOfOtherRegion(owner, region);
    return await inRegionTransaction(owner, region, (inner) => isWell(inner, node, mode));
  } catch (error) {
    if (isUnreachable(error)) return true;
    throw error;
  }
}

async function pollAll({ params, members }: Round): Promise<Verdicts> {
  const found: Verdicts = new Map();
  for (const [place, mode] of params.detection_modes.entries()) {
    if (mode.type !== 'NODE_STATUS_POLL_URL') continue;
    for (const node of members)
      found.set(`${node.id} ${place}`, node.status !== 'ACTIVE' || (await poll(mode, node)));
  }
  return found;
}

interface PollOptions {
  readonly poll_url: string;
  readonly poll_url_conn_error_as_unhealthy: boolean;
  readonly poll_url_healthy_response: string;
  readonly poll_url_retry_limit: number;
  readonly poll_url_retry_interval: number;
}

/** Whether the URL of a node answers as it should, within the attempts that the policy gives. */
async function poll(mode: DetectionMode, node: Node): Promise<boolean> {
  const options = mode as unknown as PollOptions;
  const url = options.poll_url.replaceAll('{nodename}', node.name);
  const attempts = Math.min(Math.max(1, Number(options.poll_url_retry_limit)), 10);
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const answer = await read(url, Math.max(0.1 * options.poll_url_retry_interval, 1));
    if (answer === undefined && !options.poll_url_conn_error_as_unhealthy) return true;
    if (answer?.includes(options.poll_url_healthy_response)) return true;
    if (attempt < attempts) await pause(Math.min(options.poll_url_retry_interval, 3) * 1000);
  }
  return false;
}

/** The body of an answer; undefined where there is none. */
async function read(url: string, seconds: number): Promise<string | undefined> {
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(seconds * 1000) });
    return reply.ok ? (await reply.text()).slice(0, 65_536) : undefined;
  } catch {
    return undefined;
  }
}

async function judge(
  context: Context,
  clusterId: string,
  { params, members }: Round,
  polled: Verdicts,
): Promise<void> {
  const found = await store.registry.find(context.db, { cluster_id: clusterId });
  if (!found?.enabled) return;
  for (const { id } of members) {
    const node = await store.nodes.find(context.db, { id });
    if (!node || node.clusterId !== clusterId) continue;
    const verdicts: boolean[] = [];
    for (const [place, mode] of params.detection_modes.entries())
      verdicts.push(polled.get(`${id} ${place}`) ?? (await isWellHere(context, node, mode)));
    const wasChanged =
      context.now - (node.updatedAt ?? node.initAt) < params.node_update_timeout * SECOND;
    const isIll =
      params.recovery_conditional === 'ALL_FAILED'
        ? verdicts.every((well) => !well)
        : verdicts.some((well) => !well);
    if (isIll && !wasChanged) await recover(context, node, params);
  }
}

/** Which host a server is on Compute tells administrators of a project only. */
function asAdministrator(owner: Context): Context {
  const roles = [...owner.actor.roles, 'admin'];
  return contextWith(owner, {
    actor: {
      ...owner.actor,
      roles,
      isAdmin: true,
      credentials: { ...owner.actor.credentials, roles },
    },
  });
}

async function isWellHere(context: Context, node: Node, mode: DetectionMode): Promise<boolean> {
  try {
    return await isWell(await actingOn(context, node), node, mode);
  } catch (error) {
    if (error instanceof ApiError) return true;
    throw error;
  }
}

const asksCompute = ({ type }: DetectionMode): boolean =>
  type === 'NODE_STATUS_POLLING' || type === 'HYPERVISOR_STATUS_POLLING';

/** What Compute says of a node to its owner. What cannot be asked counts as well. */
async function isWell(owner: Context, node: Node, { type }: DetectionMode): Promise<boolean> {
  if (!asksCompute({ type })) return true;
  if (!node.physicalId) return false;
  try {
    const server = await findServer(owner, node.physicalId);
    if (!server) return false;
    if (type === 'NODE_STATUS_POLLING')
      return !['ERROR', 'SHUTOFF', 'DELETED'].includes(server.status);
    const admin = asAdministrator(owner);
    const host = (await findServer(admin, node.physicalId))?.[
      'OS-EXT-SRV-ATTR:hypervisor_hostname'
    ];
    const hypervisor = (await hypervisors(admin)).find(
      ({ hypervisor_hostname: name }) => name === host,
    );
    return (
      hypervisor !== undefined && hypervisor.state !== 'down' && hypervisor.status !== 'disabled'
    );
  } catch (error) {
    if (error instanceof ApiError) return true;
    throw error;
  }
}

async function recover(
  context: Context,
  node: Node,
  { recover_action: actions, node_delete_timeout, node_force_recreate }: HealthParams,
): Promise<void> {
  const last = actions.at(-1);
  const inputs: Json = {
    ...(last
      ? { operation: last.name, ...(last.params ? { operation_params: last.params } : {}) }
      : {}),
    delete_timeout: node_delete_timeout,
    force_recreate: node_force_recreate,
  };
  try {
    await actOnNode(context, node, 'NODE_RECOVER', inputs);
  } catch (error) {
    // Something is being done to the node already.
    if (!(error instanceof ApiError)) throw error;
  }
}
