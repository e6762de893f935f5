// The health manager: checks the nodes of registered clusters, and queues the recovery of unhealthy
// ones.
import { SECOND, pause, ticks, type Micros } from '../../../../kernel/clock.ts';
import { inRegionTransaction, contextWith } from '../../../../kernel/context.ts';
import { isUnreachable } from '../../../../kernel/db/errors.ts';
import type { Actor, Job, Region, Context, Round } from '../../../../kernel/model.ts';
import { runDueJobsOfOtherRegion } from '../../../../kernel/jobs/due-jobs.ts';
import { nextChange } from '../../../../kernel/jobs/periodic.ts';
import { ApiError } from '../../../../kernel/errors.ts';
import { sendRequest } from '../../../../kernel/http-client.ts';
import { findServer, hypervisors } from '../../clients/compute.ts';
import * as store from '../../store/index.ts';
import { queueNodeAction } from '../nodes/nodes.ts';
import { actingOn } from '../delegation.ts';
import { regionOf } from '../nodes/location.ts';
import { regionNamed } from '../nodes/regions.ts';
import type { DetectionMode, HealthParams, Json, Node } from '../../model.ts';

/** A node in another region than its cluster's. */
interface RemoteNode {
  readonly node: Node;
  readonly region: string;
  /** The owner of the node. */
  readonly actor: Actor;
}

/** A check of a cluster. */
interface Check {
  readonly params: HealthParams;
  readonly members: readonly Node[];
  readonly remote: readonly RemoteNode[];
}

/** Whether nodes are healthy, by node and detection mode. */
type Verdicts = Map<string, boolean>;

const verdictKey = ({ id }: Node, modeIndex: number): string => `${id} ${modeIndex}`;

/**
 * Checks the health of a cluster. URLs are polled outside of any transaction. Compute is called in
 * the transaction of the region, or, for nodes in another region, in one of that region.
 * @returns undefined if the cluster is no longer registered
 */
export async function checkHealth(
  context: Context,
  { subject }: Pick<Job, 'subject'>,
): Promise<Round | undefined> {
  const registration = await store.registry.find(context.db, { clusterId: subject });
  if (!registration) return undefined;
  const interval = registration.params.interval * SECOND;
  if (!registration.enabled) return { interval, steadyUntil: Infinity };
  const check = await inRegionTransaction(context, context.region, (inner) =>
    begin(inner, subject, registration.params),
  );
  const verdicts = await pollUrls(check);
  for (const node of check.remote) await checkRemoteNode(context, check, node, verdicts);
  const steadyUntil = await inRegionTransaction(context, context.region, (inner) =>
    finish(inner, subject, check, verdicts),
  );
  if (steadyUntil === undefined) return { interval };
  return { interval, steadyUntil: Math.min(steadyUntil, await nextChangeIn(context, check)) };
}

/**
 * The last time before which no job of the regions of remote nodes changes anything: their jobs
 * run during each check.
 */
async function nextChangeIn({ cloud }: Context, { remote }: Check): Promise<Micros> {
  let earliest = Infinity;
  for (const name of new Set(remote.map(({ region }) => region))) {
    const region = cloud.regions.get(name);
    if (region) earliest = Math.min(earliest, (await nextChange(region.database.db)) - 1);
  }
  return earliest;
}

async function begin(context: Context, clusterId: string, params: HealthParams): Promise<Check> {
  const members = await store.membersOf(context.db, clusterId);
  const remote: RemoteNode[] = [];
  for (const node of members) {
    const region = await regionOf(context, node);
    if (region && region !== context.region.name)
      remote.push({ node, region, actor: (await actingOn(context, node)).actor });
  }
  return { params, members, remote };
}

/** Checks a node in another region. It is unhealthy if the region no longer exists. */
async function checkRemoteNode(
  context: Context,
  { params }: Check,
  { node, region: name, actor }: RemoteNode,
  verdicts: Verdicts,
): Promise<void> {
  const region = regionNamed(context, name);
  const owner = contextWith(context, { actor });
  for (const [index, mode] of params.detection_modes.entries())
    if (callsCompute(mode))
      verdicts.set(
        verdictKey(node, index),
        region ? await isHealthyIn(owner, region, node, mode) : false,
      );
}

/**
 * Checks a node in another region. It counts as healthy if the region's database is unreachable.
 */
async function isHealthyIn(
  owner: Context,
  region: Region,
  node: Node,
  mode: DetectionMode,
): Promise<boolean> {
  try {
    await runDueJobsOfOtherRegion(owner, region);
    return await inRegionTransaction(owner, region, (inner) => isHealthy(inner, node, mode));
  } catch (error) {
    if (isUnreachable(error)) return true;
    throw error;
  }
}

/**
 * How long all polls of a check may take, in milliseconds of the machine. The requests of the
 * region wait for a due check, so a URL that never replies must not delay it. The default options
 * of a policy need nine seconds for a node that is down.
 */
const maxPollTime = 10_000;

/** The maximum time of one poll, and of the wait before the next, in milliseconds. */
const maxStepTime = 3_000;

/** The maximum length of a response that is searched, in bytes. The rest is not received. */
const maxResponse = 65_536;

/** Polls the URLs of all nodes at the same time. */
async function pollUrls({ params, members }: Check): Promise<Verdicts> {
  const verdicts: Verdicts = new Map();
  const deadline = ticks() + maxPollTime;
  const polls = [...params.detection_modes.entries()].flatMap(([index, mode]) =>
    mode.type === 'NODE_STATUS_POLL_URL' ? members.map((node) => ({ index, mode, node })) : [],
  );
  const pollNode = async ({ index, mode, node }: (typeof polls)[number]): Promise<void> => {
    const isHealthy = node.status !== 'ACTIVE' || (await poll(mode, node, deadline));
    verdicts.set(verdictKey(node, index), isHealthy);
  };
  await Promise.all(polls.map(pollNode));
  return verdicts;
}

interface PollOptions extends DetectionMode {
  readonly poll_url: string;
  readonly poll_url_conn_error_as_unhealthy: boolean;
  readonly poll_url_healthy_response: string;
  readonly poll_url_retry_limit: number;
  readonly poll_url_retry_interval: number;
}

/**
 * Polls the URL of a node until it returns the healthy response, as often as the policy allows, and
 * at most until the deadline.
 */
async function poll(mode: DetectionMode, node: Node, deadline: number): Promise<boolean> {
  const options = mode as PollOptions;
  const url = options.poll_url.replaceAll('{nodename}', node.name);
  const attempts = Math.min(Math.max(1, Number(options.poll_url_retry_limit)), 10);
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const timeout = Math.max(100 * options.poll_url_retry_interval, 1000);
    const body = await fetchBody(url, Math.min(timeout, maxStepTime, deadline - ticks()));
    if (body === undefined && !options.poll_url_conn_error_as_unhealthy) return true;
    if (body?.includes(options.poll_url_healthy_response)) return true;
    const wait = Math.max(0, Math.min(options.poll_url_retry_interval * 1000, maxStepTime));
    if (attempt === attempts || ticks() + wait >= deadline) return false;
    await pause(wait);
  }
  return false;
}

/**
 * The users of Clustering choose the URL, so the request must not pass as one of this machine,
 * which may read the passwords at `/_emulator`: the header Via says that it is sent for others.
 * @returns undefined if there is no successful response
 */
async function fetchBody(url: string, timeout: number): Promise<string | undefined> {
  if (!/^https?:/i.test(url)) return undefined;
  try {
    const headers = { via: '1.1 cumulet' };
    const limits = { timeout: Math.max(1, Math.floor(timeout)), maxBody: maxResponse };
    const { isOk, body } = await sendRequest(url, { headers, ...limits });
    return isOk ? body.toString() : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Completes the verdicts with the nodes in this region, and recovers unhealthy nodes.
 * @returns until when further checks of the same nodes would recover none; undefined if this one
 *   has recovered a node
 */
async function finish(
  context: Context,
  clusterId: string,
  { params, members }: Check,
  verdicts: Verdicts,
): Promise<Micros | undefined> {
  const registration = await store.registry.find(context.db, { clusterId });
  if (!registration?.enabled) return Infinity;
  let steadyUntil: Micros | undefined = Infinity;
  for (const { id } of members) {
    const node = await store.nodes.find(context.db, { id });
    if (!node || node.clusterId !== clusterId) continue;
    const results: boolean[] = [];
    for (const [index, mode] of params.detection_modes.entries())
      results.push(
        verdicts.get(verdictKey(node, index)) ?? (await isLocalHealthy(context, node, mode)),
      );
    const recentUntil = (node.updatedAt ?? node.initAt) + params.node_update_timeout * SECOND;
    const isUnhealthy =
      params.recovery_conditional === 'ALL_FAILED'
        ? results.every((result) => !result)
        : results.some((result) => !result);
    if (!isUnhealthy) continue;
    if (context.now < recentUntil) steadyUntil &&= Math.min(steadyUntil, recentUntil - 1);
    else if (await recover(context, node, params)) steadyUntil = undefined;
  }
  return steadyUntil;
}

/**
 * The owner with the role of an administrator: Compute shows the host of a server to no one else.
 */
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

async function isLocalHealthy(context: Context, node: Node, mode: DetectionMode): Promise<boolean> {
  try {
    return await isHealthy(await actingOn(context, node), node, mode);
  } catch (error) {
    if (error instanceof ApiError) return true;
    throw error;
  }
}

const callsCompute = ({ type }: DetectionMode): boolean =>
  type === 'NODE_STATUS_POLLING' || type === 'HYPERVISOR_STATUS_POLLING';

/** Asks Compute about the server of a node. The node counts as healthy if Compute fails. */
async function isHealthy(owner: Context, node: Node, { type }: DetectionMode): Promise<boolean> {
  if (!callsCompute({ type })) return true;
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

/** Queues the recovery of a node. @returns whether it has */
async function recover(
  context: Context,
  node: Node,
  { recover_action: actions, node_delete_timeout, node_force_recreate }: HealthParams,
): Promise<boolean> {
  const last = actions.at(-1);
  const inputs: Json = {
    ...(last
      ? { operation: last.name, ...(last.params ? { operation_params: last.params } : {}) }
      : {}),
    delete_timeout: node_delete_timeout,
    force_recreate: node_force_recreate,
  };
  try {
    await queueNodeAction(context, node, 'NODE_RECOVER', inputs);
    return true;
  } catch (error) {
    // Another action is running on the node.
    if (!(error instanceof ApiError)) throw error;
    return false;
  }
}
