// Hypervisors: list, detail, show, statistics, uptime, and until 2.52 search and servers.
import { ok } from '../../../../kernel/http/reply.ts';
import { badRequest, notFound, type ApiError } from '../../../../kernel/errors.ts';
import { grouped } from '../../../../kernel/db/grouping.ts';
import { inventoriesOf } from '../../clients/placement.ts';
import type { ComputeCall } from '../../call.ts';
import { keyOf } from '../../domain/ids.ts';
import { findComputeHost, listComputeHosts, serversOn } from '../../store/hosts/hosts.ts';
import {
  hostUsageOf,
  hypervisorItem,
  hypervisorView,
  statisticsView,
  uptimeOf,
  type HostUsage,
  type ServersByHost,
} from '../../views/hosts/hypervisors.ts';
import { nextPageLinks } from '../../views/links.ts';
import { pageOf } from '../paging.ts';
import { boolFromString } from '../../../../kernel/oslo/booleans.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { ComputeHost } from '../../model.ts';

export async function list(call: ComputeCall): Promise<Reply> {
  return listReply(call, 'os-hypervisors', async (hosts, servers) =>
    hosts.map((host) => hypervisorItem(call, host, servers)),
  );
}

export async function detail(call: ComputeCall): Promise<Reply> {
  return listReply(call, 'os-hypervisors/detail', async (hosts, servers) => {
    const usage = await usageOfHosts(call, hosts);
    return hosts.map((host, index) => hypervisorView(call, host, usage[index]!, servers));
  });
}

type View = (
  hosts: readonly ComputeHost[],
  servers: ServersByHost | undefined,
) => Promise<object[]>;

/** The reply to a list: one page, or all hypervisors that match the pattern. @throws 400, 404 */
async function listReply(call: ComputeCall, path: string, view: View): Promise<Reply> {
  const { query, version } = call;
  const pattern = version.has('2.53') ? query.last('hypervisor_hostname_pattern') : undefined;
  if (pattern !== undefined && (query.has('limit') || query.has('marker'))) {
    throw badRequest(
      'Paging over hypervisors with the hypervisor_hostname_pattern query parameter is not ' +
        'supported.',
    );
  }
  const page = version.has('2.33')
    ? await pageOf(call)
    : { limit: Number.MAX_SAFE_INTEGER, marker: undefined };
  const hosts =
    pattern === undefined ? await pageOfHosts(call, page) : await hostsContaining(call, pattern);
  const servers = wantsServers(call) ? await serversByHost(call, hosts) : undefined;
  const last = hosts.at(-1);
  const links =
    version.has('2.33') && pattern === undefined && last
      ? nextPageLinks(
          call,
          path,
          hosts,
          page.limit,
          version.has('2.53') ? last.uuid : String(last.id),
        )
      : [];
  return ok({
    hypervisors: await view(hosts, servers),
    ...(links.length ? { hypervisors_links: links } : {}),
  });
}

const wantsServers = ({ query, version }: ComputeCall): boolean =>
  version.has('2.53') && boolFromString(query.last('with_servers') ?? 'no') === true;

async function pageOfHosts(
  call: ComputeCall,
  { limit, marker }: { limit: number; marker: string | undefined },
): Promise<ComputeHost[]> {
  if (marker === undefined) return listComputeHosts(call.db, { limit });
  const unknown = (): ApiError => badRequest(`marker [${marker}] not found`);
  const byUuid = call.version.has('2.53');
  const markerHost = byUuid
    ? await findComputeHost(call.db, { uuid: marker })
    : await findComputeHost(call.db, keyOf(marker, false, unknown));
  if (!markerHost) throw unknown();
  return listComputeHosts(call.db, { after: markerHost.id, limit });
}

/** The hosts whose names contain a text. @throws 404 if there are none */
async function hostsContaining(call: ComputeCall, text: string): Promise<ComputeHost[]> {
  const hosts = await listComputeHosts(call.db, { containing: text.toLowerCase() });
  if (!hosts.length) throw notFound(`No hypervisor matching '${text}' could be found.`);
  return hosts;
}

async function usageOfHosts(
  call: ComputeCall,
  hosts: readonly ComputeHost[],
): Promise<HostUsage[]> {
  // From 2.88 on, views do not show usage.
  if (call.version.has('2.88')) return hosts.map((host) => hostUsageOf(host, {}, 0));
  const inventories = await inventoriesOf(
    call,
    hosts.map(({ uuid }) => uuid),
  );
  const servers = await serversByHost(call, hosts);
  return hosts.map((host) =>
    hostUsageOf(host, inventories.get(host.uuid) ?? {}, servers.get(host.name)?.length ?? 0),
  );
}

async function serversByHost(
  { db }: ComputeCall,
  hosts: readonly ComputeHost[],
): Promise<ServersByHost> {
  const servers = await serversOn(
    db,
    hosts.map(({ name }) => name),
  );
  return grouped(servers, ({ host }) => host);
}

export async function show(call: ComputeCall): Promise<Reply> {
  const host = await hostOf(call);
  const servers = wantsServers(call) ? await serversByHost(call, [host]) : undefined;
  const [usage] = await usageOfHosts(call, [host]);
  return ok({ hypervisor: hypervisorView(call, host, usage!, servers) });
}

/** The host in the path. @throws 404; from 2.53 on, also 400 if the id is not a UUID */
async function hostOf(call: ComputeCall): Promise<ComputeHost> {
  const id = call.params['id']!;
  const missing = (): ApiError => notFound(`Hypervisor with ID '${id}' could not be found.`);
  const host = await findComputeHost(call.db, keyOf(id, call.version.has('2.53'), missing));
  if (!host) throw missing();
  return host;
}

export async function uptime(call: ComputeCall): Promise<Reply> {
  const host = await hostOf(call);
  if (host.service.forcedDown)
    throw badRequest('Compute service of ' + host.name + ' is unavailable at this time.');
  return ok({ hypervisor: { ...hypervisorItem(call, host), uptime: uptimeOf(host, call.now) } });
}

export async function statistics(call: ComputeCall): Promise<Reply> {
  const hosts = (await listComputeHosts(call.db)).filter(({ service }) => !service.disabled);
  return ok({ hypervisor_statistics: statisticsView(await usageOfHosts(call, hosts)) });
}

export async function search(call: ComputeCall): Promise<Reply> {
  const hosts = await hostsContaining(call, call.params['id']!);
  return ok({ hypervisors: hosts.map((host) => hypervisorItem(call, host)) });
}

export async function servers(call: ComputeCall): Promise<Reply> {
  const hosts = await hostsContaining(call, call.params['id']!);
  const all = await serversByHost(call, hosts);
  return ok({ hypervisors: hosts.map((host) => hypervisorItem(call, host, all)) });
}
