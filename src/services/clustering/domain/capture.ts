// Captures the profiles, policies, clusters, nodes, bindings and receivers of a cloud. Actions and
// events are its past, and are left out.
import { allOrOwn, entriesOf, textOrNull, utcTimeOf } from '../../../emulator/capture/fields.ts';
import type { Captured, CaptureSource, Json } from '../../../emulator/capture/model.ts';
import { grouped } from '../../../kernel/db/grouping.ts';
import type { Context } from '../../../kernel/model.ts';
import { credentialFor } from '../clients/identity.ts';
import {
  clusterStatuses,
  nodeStatuses,
  type Cluster,
  type Delegator,
  type Owned,
  type Owner,
  type Receiver,
  type Spec,
} from '../model.ts';
import * as store from '../store/index.ts';
import { policyProperties, policyTypes } from './policies/index.ts';
import { checkHealth } from './policies/health.ts';
import { profileTypes } from './profiles/index.ts';
import { webhookUrl } from './receivers/webhooks.ts';
import { without } from './without.ts';

/** How many entries a page has: Senlin returns all without a limit, and names no next page. */
const pageSize = 1000;

/** Captures what Clustering has. Profiles and policies of unknown types are left out. */
export async function captureClustering(
  context: Context,
  source: CaptureSource,
): Promise<Captured> {
  const version = await source.newest('clustering', '1.14');
  const read = new Reader(context, source, version);
  const profiles = await captureProfiles(read);
  const policies = await capturePolicies(read);
  const nodes = await read.all('nodes');
  const clusters = await captureClusters(read, nodes, profiles);
  const members = await captureNodes(read, nodes, profiles, clusters);
  await captureBindings(read, clusters, policies);
  const receivers = await captureReceivers(read, clusters);
  return {
    profiles: profiles.size,
    policies: policies.size,
    clusters: clusters.size,
    nodes: members,
    receivers,
  };
}

/** The ids of resources that have been captured. */
type Ids = ReadonlySet<string>;

/** Reads lists, and the owners of their entries. */
class Reader {
  readonly context: Context;
  readonly source: CaptureSource;
  private readonly version: string;
  private readonly credentials = new Map<string, string | null>();

  constructor(context: Context, source: CaptureSource, version: string) {
    this.context = context;
    this.source = source;
    this.version = version;
  }

  /** Lists what all projects have, or else the own one. */
  async all(key: string): Promise<readonly Json[]> {
    return allOrOwn(await this.list(key, 'global_project=true&'), () => this.list(key, ''));
  }

  private async list(key: string, scope: string): Promise<Json[]> {
    const entries: Json[] = [];
    let marker = '';
    for (let page: readonly Json[] | undefined; !page || page.length === pageSize;) {
      const query = `${scope}limit=${pageSize}${marker}`;
      page = await this.source.list('clustering', `/v1/${key}?${query}`, key, this.version);
      entries.push(...page);
      marker = `&marker=${String(page.at(-1)?.['id'])}`;
    }
    return entries;
  }

  /** The bindings of a cluster, which have no pages. */
  async bindingsOf(clusterId: string): Promise<readonly Json[]> {
    const path = `/v1/clusters/${clusterId}/policies`;
    return entriesOf(await this.source.get('clustering', path, this.version), 'cluster_policies');
  }

  /** The fields that all records have. */
  owned(one: Json): Owned {
    return {
      id: String(one['id']),
      name: String(one['name']),
      userId: String(one['user']),
      projectId: String(one['project']),
      domainId: textOrNull(one['domain']),
      createdAt: utcTimeOf(one['created_at']),
      updatedAt: utcTimeOf(one['updated_at']),
    };
  }

  /** The fields of a record for whose owner the engine acts. */
  async delegated(one: Json): Promise<Owned & Delegator> {
    const owned = this.owned(one);
    return { ...owned, credentialId: await this.credentialOf(owned) };
  }

  /** The credential of an owner; null if the owner has no roles in the captured cloud. */
  private async credentialOf({ userId, projectId }: Owner): Promise<string | null> {
    const owner = `${userId} ${projectId}`;
    if (!this.credentials.has(owner)) {
      const credential = await credentialFor(this.context, userId, projectId);
      if (credential) await store.credentials.ensure(this.context.db, [credential]);
      this.credentials.set(owner, credential?.id ?? null);
    }
    return this.credentials.get(owner)!;
  }
}

const objectIn = (value: unknown): Record<string, unknown> =>
  (value ?? {}) as Record<string, unknown>;

/** The spec of a profile or policy without the password of servers. */
function specOf(one: Json): Spec {
  const spec = one['spec'] as Spec;
  const properties = without(objectIn(spec.properties), 'admin_pass');
  return { ...spec, version: String(spec.version), properties };
}

async function captureProfiles(read: Reader): Promise<Ids> {
  const known = (await read.all('profiles')).filter(({ type }) =>
    Object.hasOwn(profileTypes, String(type)),
  );
  for (const one of known)
    await store.profiles.insert(read.context.db, {
      ...read.owned(one),
      type: String(one['type']),
      spec: specOf(one),
      metadata: objectIn(one['metadata']),
    });
  return new Set(known.map(({ id }) => String(id)));
}

/** @returns the types of the policies, by their ids */
async function capturePolicies(read: Reader): Promise<ReadonlyMap<string, string>> {
  const known = (await read.all('policies')).filter(({ type }) =>
    Object.hasOwn(policyTypes, String(type)),
  );
  for (const one of known)
    await store.policies.insert(read.context.db, {
      ...read.owned(one),
      type: String(one['type']),
      spec: specOf(one),
      data: objectIn(one['data']),
    });
  return new Map(known.map(({ id, type }) => [String(id), String(type)]));
}

/** @param nodes all nodes, whose indexes tell the index of the next one */
async function captureClusters(
  read: Reader,
  nodes: readonly Json[],
  profiles: Ids,
): Promise<ReadonlyMap<string, Cluster>> {
  const captured = new Map<string, Cluster>();
  const nodesOf = grouped(nodes, ({ cluster_id: id }) => id);
  for (const one of await read.all('clusters')) {
    const profileId = String(one['profile_id']);
    if (!profiles.has(profileId)) continue;
    const own = nodesOf.get(one['id']) ?? [];
    const cluster: Cluster = {
      ...(await read.delegated(one)),
      profileId,
      initAt: utcTimeOf(one['init_at']) ?? read.context.now,
      minSize: Number(one['min_size']),
      maxSize: Number(one['max_size']),
      desiredCapacity: Number(one['desired_capacity']),
      nextIndex: Math.max(0, ...own.map(({ index }) => Number(index))) + 1,
      timeout: Number(one['timeout']),
      status: clusterStatuses.find((status) => status === one['status']) ?? 'ERROR',
      statusReason: String(one['status_reason'] ?? ''),
      metadata: objectIn(one['metadata']),
      data: objectIn(one['data']),
      dependents: objectIn(one['dependents']),
      config: objectIn(one['config']),
      revision: 0,
    };
    await store.clusters.insert(read.context.db, cluster);
    captured.set(cluster.id, cluster);
  }
  return captured;
}

/** @returns how many */
async function captureNodes(
  read: Reader,
  nodes: readonly Json[],
  profiles: Ids,
  clusters: ReadonlyMap<string, Cluster>,
): Promise<number> {
  const known = nodes.filter(
    ({ profile_id: profile, cluster_id: cluster }) =>
      profiles.has(String(profile)) && (!cluster || clusters.has(String(cluster))),
  );
  for (const one of known)
    await store.nodes.insert(read.context.db, {
      ...(await read.delegated(one)),
      profileId: String(one['profile_id']),
      clusterId: String(one['cluster_id'] ?? ''),
      physicalId: textOrNull(one['physical_id']),
      index: Number(one['index']),
      role: (one['role'] ?? null) as string | null,
      initAt: utcTimeOf(one['init_at']) ?? read.context.now,
      tainted: one['tainted'] === true,
      status: nodeStatuses.find((status) => status === one['status']) ?? 'ERROR',
      statusReason: String(one['status_reason'] ?? ''),
      metadata: objectIn(one['metadata']),
      data: objectIn(one['data']),
      dependents: objectIn(one['dependents']),
      revision: 0,
    });
  return known.length;
}

/** Captures which policies clusters have. Health is checked for owners that can be acted for. */
async function captureBindings(
  read: Reader,
  clusters: ReadonlyMap<string, Cluster>,
  policies: ReadonlyMap<string, string>,
): Promise<void> {
  const { context, source } = read;
  const lists = await source.each('policies of clusters', [...clusters.keys()], (id) =>
    read.bindingsOf(id),
  );
  for (const one of lists.flat()) {
    const [clusterId, policyId] = [String(one['cluster_id']), String(one['policy_id'])];
    const type = policies.get(policyId);
    if (type === undefined) continue;
    const enabled = one['enabled'] !== false;
    await store.bindings.insert(context.db, {
      id: String(one['id']),
      clusterId,
      policyId,
      enabled,
      priority: Number(one['priority'] ?? policyTypes[type]!.priority),
      data: objectIn(one['data']),
      lastOp: utcTimeOf(one['last_op']),
    });
    const isHealth = type.startsWith('senlin.policy.health-');
    if (!isHealth || !enabled || clusters.get(clusterId)!.credentialId === null) continue;
    const policy = (await store.policies.find(context.db, { id: policyId }))!;
    await checkHealth(context, clusterId, policyProperties(policy));
  }
}

/**
 * Captures receivers. The URL of a webhook is that of the captured cloud: with the original one, a
 * client would scale the original cluster.
 * @returns how many
 */
async function captureReceivers(
  read: Reader,
  clusters: ReadonlyMap<string, Cluster>,
): Promise<number> {
  const known = (await read.all('receivers')).filter(
    ({ cluster_id: cluster }) => !cluster || clusters.has(String(cluster)),
  );
  for (const one of known) {
    const owned = await read.delegated(one);
    const params = objectIn(one['params']);
    const { queue_name: queue, subscription } = objectIn(one['channel']);
    const receiver: Receiver = {
      ...owned,
      type: String(one['type']),
      clusterId: textOrNull(one['cluster_id']),
      action: textOrNull(one['action']),
      actor: owned.credentialId === null ? {} : { trust_id: owned.credentialId },
      params,
      channel:
        one['type'] === 'webhook'
          ? { alarm_url: webhookUrl('', owned.id, params) }
          : { queue_name: queue, subscription },
    };
    await store.receivers.insert(read.context.db, receiver);
  }
  return known.length;
}
