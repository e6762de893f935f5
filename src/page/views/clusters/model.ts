// What the view of clusters reads: clusters, the nodes of one with their servers, its policies and
// its actions; and what an action would do.
import { quoted, type Action } from '../../core/actions.ts';
import { listServers } from '../../core/compute.ts';
import type { Explanation } from '../../core/explanations.ts';
import { emulator } from '../../core/http.ts';
import { service } from '../../core/session.ts';

/** A cluster, as Clustering lists it. */
export interface Cluster {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly status_reason: string;
  readonly profile_name: string;
  readonly project: string;
  readonly desired_capacity: number;
  readonly min_size: number;
  /** -1 if there is no limit. */
  readonly max_size: number;
  readonly nodes: readonly string[];
}

export interface Node {
  readonly id: string;
  readonly name: string;
  readonly index: number;
  readonly status: string;
  readonly status_reason: string;
  readonly physical_id: string | null;
  readonly data: { readonly placement?: { readonly zone?: string; readonly region_name?: string } };
}

/** The nodes in a zone, or in another region. */
export interface Place {
  readonly name: string;
  readonly nodes: readonly Node[];
}

/** A policy of a cluster, with the specification of the policy itself. */
export interface Binding {
  readonly id: string;
  readonly policy_id: string;
  readonly policy_name: string;
  readonly policy_type: string;
  readonly priority: number;
  readonly enabled: boolean;
  readonly last_op: string | null;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** An action of Clustering. Its times are seconds since 1970. */
export interface ClusterAction {
  readonly id: string;
  readonly name: string;
  readonly action: string;
  readonly target: string;
  readonly cause: string;
  readonly status: string;
  readonly status_reason: string;
  readonly start_time: number | null;
  readonly end_time: number | null;
  readonly created_at: string;
}

/** Everything that the view shows of one cluster. */
export interface ClusterDetails {
  readonly places: readonly Place[];
  readonly bindings: readonly Binding[];
  readonly actions: readonly ClusterAction[];
}

const read = <T>(prefix: string, path: string, signal: AbortSignal): Promise<T> =>
  service<T>(`${prefix}/clustering/v1/${path}`, { signal, version: 'clustering 1.14' });

export const readClusters = async (prefix: string, signal: AbortSignal): Promise<Cluster[]> =>
  (
    await read<{ clusters: Cluster[] }>(
      prefix,
      'clusters?global_project=true&sort=name:asc',
      signal,
    )
  ).clusters;

const mostActions = 40;

export async function readCluster(
  prefix: string,
  id: string,
  signal: AbortSignal,
): Promise<ClusterDetails> {
  const all = `global_project=true&cluster_id=${id}`;
  const [{ nodes }, { cluster_policies: bound }, { policies }, { actions }, servers] =
    await Promise.all([
      read<{ nodes: Node[] }>(prefix, `nodes?${all}`, signal),
      read<{ cluster_policies: Omit<Binding, 'properties'>[] }>(
        prefix,
        `clusters/${id}/policies`,
        signal,
      ),
      read<{ policies: { id: string; spec: { properties: Binding['properties'] } }[] }>(
        prefix,
        'policies?global_project=true',
        signal,
      ),
      read<{ actions: ClusterAction[] }>(
        prefix,
        `actions?${all}&sort=created_at:desc&limit=${mostActions}`,
        signal,
      ),
      listServers(prefix, '', signal),
    ]);
  const zones = new Map(
    servers.map((server) => [server.id, server['OS-EXT-AZ:availability_zone']]),
  );
  const properties = new Map(policies.map(({ id: policy, spec }) => [policy, spec.properties]));
  return {
    places: placesOf(nodes, zones),
    bindings: bound
      .map((one) => ({ ...one, properties: properties.get(one.policy_id) ?? {} }))
      .toSorted((one, other) => one.priority - other.priority),
    actions,
  };
}

/** The nodes by region or zone, each in the order of their indexes. */
function placesOf(
  nodes: readonly Node[],
  zones: ReadonlyMap<string, string | undefined>,
): readonly Place[] {
  const places = new Map<string, Node[]>();
  for (const node of nodes.toSorted((one, other) => one.index - other.index)) {
    const { placement } = node.data;
    const zone = zones.get(node.physical_id ?? '') ?? placement?.zone;
    const name = placement?.region_name ?? zone ?? 'no zone yet';
    places.set(name, [...(places.get(name) ?? []), node]);
  }
  return [...places]
    .map(([name, inPlace]) => ({ name, nodes: inPlace }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** The properties of a policy in words: `event CLUSTER_SCALE_OUT; adjustment: number 2`. */
export const inWords = (properties: Binding['properties']): string =>
  Object.entries(properties)
    .map(([name, value]) =>
      typeof value === 'object' ? `${name}: ${wordsOf(value)}` : `${name} ${String(value)}`,
    )
    .join('; ');

function wordsOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(wordsOf).join(', ');
  if (typeof value !== 'object' || value === null) return String(value);
  const { name, ...others } = value as Readonly<Record<string, unknown>>;
  const words = Object.entries(others).map(([key, inner]) => `${key} ${wordsOf(inner)}`);
  if (name === undefined) return words.join(', ');
  return words.length ? `${wordsOf(name)} (${words.join(', ')})` : wordsOf(name);
}

/** When the cooldown of a scaling policy ends, in milliseconds; undefined without one. */
export function cooldownEnd({ properties, last_op: last }: Binding): number | undefined {
  const { adjustment } = properties as { adjustment?: { cooldown?: number } };
  if (!adjustment?.cooldown || last === null) return undefined;
  return Date.parse(last.endsWith('Z') ? last : `${last}Z`) + adjustment.cooldown * 1_000;
}

/** What can be done to a cluster here. */
export interface Verb {
  readonly title: string;
  /** Whether it takes a number of nodes. */
  readonly counts: boolean;
  readonly body: (count: number | undefined) => object;
  readonly command: (count: number | undefined) => readonly string[];
}

const counting = (count: number | undefined): object => (count === undefined ? {} : { count });

const countOption = (count: number | undefined): readonly string[] =>
  count === undefined ? [] : ['--count', String(count)];

export const verbs: Readonly<Record<string, Verb>> = {
  'scale out': {
    title: 'Scale out',
    counts: true,
    body: (count) => ({ scale_out: counting(count) }),
    command: (count) => ['expand', ...countOption(count)],
  },
  'scale in': {
    title: 'Scale in',
    counts: true,
    body: (count) => ({ scale_in: counting(count) }),
    command: (count) => ['shrink', ...countOption(count)],
  },
  check: {
    title: 'Check',
    counts: false,
    body: () => ({ check: {} }),
    command: () => ['check'],
  },
  recover: {
    title: 'Recover',
    counts: false,
    body: () => ({ recover: {} }),
    command: () => ['recover'],
  },
};

/** What an action would do to a cluster now. */
export interface Preview extends Explanation {
  readonly details: {
    readonly nodes: readonly {
      readonly action: string;
      readonly node: string;
      readonly zone: string | null;
    }[];
  };
}

export const previewAction = async (
  parameter: string,
  cluster: string,
  action: object,
  signal: AbortSignal,
): Promise<Preview> =>
  (
    await emulator<{ explanation: Preview }>(`/explain/actions${parameter && `?${parameter}`}`, {
      method: 'POST',
      body: { cluster, action },
      signal,
    })
  ).explanation;

/** Takes an action. One that changes the number of nodes is undone by a resize. */
export function takeAction(
  prefix: string,
  { id, name, desired_capacity: before }: Cluster,
  { title, counts, body, command }: Verb,
  count: number | undefined,
): Action {
  const post = (sent: object): Promise<unknown> =>
    service(`${prefix}/clustering/v1/clusters/${id}/actions`, {
      method: 'POST',
      body: sent,
      version: 'clustering 1.14',
    });
  const resize: Action = {
    text: `${name} gets its ${before} nodes back.`,
    command: `openstack cluster resize --capacity ${before} ${quoted(id)}`,
    run: () => post({ resize: { adjustment_type: 'EXACT_CAPACITY', number: before } }),
  };
  return {
    text: `${title} of ${name} is accepted.`,
    command: ['openstack', 'cluster', ...command(count), quoted(id)].join(' '),
    run: () => post(body(count)),
    inverse: counts ? () => resize : undefined,
  };
}
