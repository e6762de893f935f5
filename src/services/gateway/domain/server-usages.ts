// The usages of servers in a period, which os-simple-tenant-usage sums up for each project.
import type { GatewayCall, Json } from '../call.ts';
import { isSuccess } from '../clients/message.ts';
import { leaveOut, requestFromPod } from '../clients/pods.ts';
import type { Pod } from '../clients/tricircle.ts';
import { ListRefused, maxPageSize } from './pod-lists.ts';

/** How long a server has run in the period, and its size. Nova shows more, which stays as is. */
export interface ServerUsage {
  readonly instance_id: string;
  readonly tenant_id: string;
  readonly hours: number;
  readonly vcpus: number;
  readonly memory_mb: number;
  readonly local_gb: number;
}

/** A project's usage, with those of its servers. */
interface ProjectUsage {
  readonly start: string;
  readonly stop: string;
  readonly server_usages: readonly ServerUsage[];
}

/** The start and the end of the period, as Nova shows them. */
export type Period = Pick<ProjectUsage, 'start' | 'stop'>;

/**
 * Reads the usages of the servers of pods with the client's request, whatever page it asks for.
 * @returns no period if no pod has a server in it
 * @throws ListRefused
 */
export async function readServerUsages(
  call: GatewayCall,
  pods: readonly Pod[],
): Promise<{ servers: ServerUsage[]; period?: Period }> {
  const lists = await Promise.all(pods.map((pod) => readPages(call, pod).catch(leaveOut)));
  const projects = lists.flatMap((list) => list ?? []);
  const servers = projects.flatMap(({ server_usages: usages }) => usages);
  return { servers, ...(projects[0] ? { period: projects[0] } : {}) };
}

/** Reads all pages of a pod. */
async function readPages(call: GatewayCall, pod: Pod): Promise<ProjectUsage[]> {
  const isPaged = call.version.has('2.40');
  const details: Record<string, string> = call.params['id'] === undefined ? { detailed: '1' } : {};
  const found: ProjectUsage[] = [];
  for (let marker: string | undefined; ;) {
    const page = isPaged ? { limit: String(maxPageSize), ...(marker && { marker }) } : {};
    const query = wholeQuery(call, { ...details, ...page });
    const reply = await requestFromPod(call, pod, { query });
    if (!isSuccess(reply)) throw new ListRefused(reply);
    const { tenant_usage: one, tenant_usages: several = [one] } = reply.body as {
      tenant_usage?: Partial<ProjectUsage>;
      tenant_usages?: Partial<ProjectUsage>[];
    };
    const projects = several.filter((usage): usage is ProjectUsage =>
      Boolean(usage?.server_usages),
    );
    found.push(...projects);
    marker = projects.at(-1)?.server_usages.at(-1)?.instance_id;
    if (!isPaged || !Object.keys(reply.body as Json).some((key) => key.endsWith('_links')))
      return found;
  }
}

/** The client's query without its page, and with other parameters. */
export function wholeQuery({ query }: GatewayCall, others: Record<string, string>): string {
  const own = query
    .entries()
    .filter(([name]) => !['limit', 'marker'].includes(name) && !Object.hasOwn(others, name));
  return new URLSearchParams([
    ...own.map(([name, value]): [string, string] => [name, value]),
    ...Object.entries(others),
  ]).toString();
}

/** Sums up the usages of a project's servers. */
export function sumUsages(
  projectId: string,
  servers: readonly ServerUsage[],
  { start, stop }: Period,
): Json {
  const total = (amount: (server: ServerUsage) => number): number =>
    servers.reduce((sum, server) => sum + amount(server) * server.hours, 0);
  return {
    tenant_id: projectId,
    total_hours: total(() => 1),
    total_vcpus_usage: total(({ vcpus }) => vcpus),
    total_memory_mb_usage: total(({ memory_mb: ram }) => ram),
    total_local_gb_usage: total(({ local_gb: disk }) => disk),
    start,
    stop,
  };
}
