// What the view of pods reads: pods with their usage, the bindings of tenants over time, and the
// routings of the account of the page.
import { curlOfService, type Action } from '../../core/actions.ts';
import { RequestError } from '../../core/http.ts';
import { hrefOf } from '../../core/router.ts';
import { service } from '../../core/session.ts';
import type { Bar, Row } from '../../parts/timeline.tsx';
import { dayTime } from '../../parts/text.ts';

/** A pod, as Tricircle lists it. The central one has no zone. */
export interface Pod {
  readonly pod_id: string;
  readonly region_name: string;
  readonly az_name: string;
  readonly resource_affinity_tag: Readonly<Record<string, string>>;
  readonly is_under_maintenance: boolean;
}

/** How much of something in a pod is used, and from which use on the pod is exhausted. */
export interface Dimension {
  readonly total: number;
  readonly used: number;
  readonly limit: number;
  readonly exhausted: boolean;
}

/** The usage that was last collected from a pod. */
export interface Usage {
  readonly pod_id: string;
  readonly collected_at: string | null;
  readonly dimensions: Readonly<Record<string, Dimension>>;
  readonly exhausted: boolean;
  readonly last_error: string | null;
}

/** A binding of a tenant to a pod. Its times are UTC without a zone. */
export interface Binding {
  readonly id: string;
  readonly tenant_id: string;
  readonly pod_id: string;
  readonly is_binding: boolean;
  readonly start_binding_time: string;
  readonly end_binding_time: string | null;
  readonly start_reason: string;
  readonly end_reason: string | null;
}

/** Where a resource of the central region is. */
export interface Routing {
  readonly id: number;
  readonly top_id: string;
  readonly bottom_id: string | null;
  readonly pod_id: string;
  readonly resource_type: string;
  readonly created_at: string;
}

/** A pod with what is known of it. */
export interface KnownPod extends Pod {
  readonly usage: Usage | undefined;
  /** The names of the tenants that are bound to it now. */
  readonly tenants: readonly string[];
}

export interface Pods {
  readonly central: Pod | undefined;
  readonly pods: readonly KnownPod[];
  readonly bindings: readonly Binding[];
  /** The names of projects, by id. */
  readonly projects: ReadonlyMap<string, string>;
  readonly routings: readonly Routing[];
}

const read = <T>(path: string, signal: AbortSignal): Promise<T> =>
  service<T>(`/tricircle/v1.0/${path}`, { signal });

/** Reads everything; undefined if the cloud has no Tricircle. */
export async function readPods(signal: AbortSignal): Promise<Pods | undefined> {
  try {
    const [{ pods }, { usages }, { pod_bindings: bindings }, { routings }, { projects }] =
      await Promise.all([
        read<{ pods: Pod[] }>('pods', signal),
        read<{ usages: Usage[] }>('usages', signal),
        read<{ pod_bindings: Binding[] }>('bindings/history', signal),
        read<{ routings: Routing[] }>('routings?limit=200', signal),
        service<{ projects: { id: string; name: string }[] }>('/identity/v3/projects', { signal }),
      ]);
    const names = new Map(projects.map(({ id, name }) => [id, name]));
    const tenantsOf = (pod: string): string[] =>
      bindings
        .filter(({ pod_id, is_binding }) => pod_id === pod && is_binding)
        .map(({ tenant_id: tenant }) => names.get(tenant) ?? tenant)
        .toSorted();
    return {
      central: pods.find(({ az_name }) => !az_name),
      pods: pods
        .filter(({ az_name }) => az_name)
        .map((pod) => ({
          ...pod,
          usage: usages.find(({ pod_id }) => pod_id === pod.pod_id),
          tenants: tenantsOf(pod.pod_id),
        })),
      bindings,
      projects: names,
      routings,
    };
  } catch (error) {
    if (error instanceof RequestError && error.status === 404) return undefined;
    throw error;
  }
}

/** A time of Tricircle in milliseconds. */
export const timeOf = (text: string): number => Date.parse(`${text.replace(' ', 'T')}Z`);

/** The bindings of each tenant, as rows of a timeline. An active binding lasts until `to`. */
export function rowsOf({ bindings, pods, projects }: Pods, to: number): Row[] {
  const regions = new Map(pods.map(({ pod_id, region_name }) => [pod_id, region_name]));
  const rows = new Map<string, Bar[]>();
  for (const binding of bindings) {
    const { id, tenant_id: tenant, pod_id: pod, start_reason, end_reason } = binding;
    const { start_binding_time: start, end_binding_time: end } = binding;
    const region = regions.get(pod) ?? pod;
    const since = `${region} since ${dayTime(start)}`;
    const until = end === null ? '' : ` to ${dayTime(end)} (${end_reason ?? 'no reason'})`;
    rows.set(tenant, [
      ...(rows.get(tenant) ?? []),
      {
        key: id,
        label: end === null ? since : region,
        title: `${since} (${start_reason})${until}`,
        href: hrefOf('pods', { pod: region }),
        state: end === null ? 'active' : 'ended',
        start: timeOf(start),
        end: end === null ? to : timeOf(end),
      },
    ]);
  }
  return [...rows]
    .map(([tenant, bars]) => ({ key: tenant, name: projects.get(tenant) ?? tenant, bars }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Puts a pod under maintenance, or back into service. */
export const maintainAction = (
  { pod_id: id, region_name: name }: Pick<Pod, 'pod_id' | 'region_name'>,
  to: boolean,
): Action => {
  const path = `/tricircle/v1.0/pods/${id}`;
  const body = { pod: { is_under_maintenance: to } };
  return {
    text: to ? `${name} is under maintenance.` : `${name} is in service.`,
    command: curlOfService('PUT', path, body),
    run: () => service(path, { method: 'PUT', body }),
    inverse: () => maintainAction({ pod_id: id, region_name: name }, !to),
  };
};

export const collectAction = (): Action => ({
  text: 'The usage of all pods is collected.',
  command: curlOfService('POST', '/tricircle/v1.0/usages', { usage: {} }),
  run: () => service('/tricircle/v1.0/usages', { method: 'POST', body: { usage: {} } }),
});
