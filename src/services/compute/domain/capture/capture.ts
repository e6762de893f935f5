// Captures the flavors, hosts, aggregates, server groups, servers and quotas of a cloud.
import { allOrOwn, entriesOf } from '../../../../emulator/capture/fields.ts';
import type { Captured, CaptureSource, Json } from '../../../../emulator/capture/model.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { Flavor, ServerGroup } from '../../model.ts';
import { projectIds, userIds } from '../../clients/identity.ts';
import { hostsCaptured } from '../../clients/network.ts';
import { defaultLimits } from '../quotas.ts';
import {
  deleteFlavor,
  findFlavor,
  insertAccess,
  insertFlavor,
  listFlavors,
  putExtraSpecs,
} from '../../store/flavors.ts';
import {
  insertAggregate,
  insertAggregateHosts,
  putMetadata,
} from '../../store/hosts/aggregates.ts';
import { insertHosts } from '../../store/hosts/hosts.ts';
import { insertServices, updateService } from '../../store/hosts/services.ts';
import { putQuotas } from '../../store/quotas.ts';
import { addMembers, insertGroup } from '../../store/servers/groups.ts';
import { insertCapturedServers } from '../../store/servers/servers.ts';
import { captureDevices } from './devices.ts';
import { captureKeypairs } from './keypairs.ts';
import { instanceNumbers, serverOf } from './servers.ts';

/** How many servers are read with a request. */
const pageSize = 1000;

/** The newest microversion in which a hypervisor has its sizes. */
const withSizes = '2.87';

/** Captures what Compute has, except quotas of users and the past actions of servers. */
export async function captureCompute(context: Context, source: CaptureSource): Promise<Captured> {
  const version = await source.newest('compute', '2.100');
  const flavors = await captureFlavors(context, source, version);
  const hosts = await captureHosts(context, source);
  const aggregates = await captureAggregates(context, source, version);
  const groups = await captureGroups(context, source, version);
  const listed = (scope: string): Promise<readonly Json[]> =>
    source.list(
      'compute',
      `/servers/detail?${scope}sort_key=created_at&sort_dir=asc&limit=${pageSize}`,
      'servers',
      version,
    );
  const servers = await allOrOwn(await listed('all_tenants=1&'), () => listed(''));
  const groupOf = new Map(
    groups.flatMap(({ group, members }) => members.map((uuid) => [uuid, group] as const)),
  );
  const flavorIds = new Map(flavors.map(({ name, flavorid }) => [name, flavorid]));
  const records = servers.map((server) =>
    serverOf(server, flavorIds, groupOf.get(String(server['id']))?.uuid),
  );
  await insertCapturedServers(context.db, records, instanceNumbers(servers));
  await captureDevices(context, source, servers, version);
  const known = new Set(records.map(({ uuid }) => uuid));
  for (const { group, members } of groups)
    await addMembers(
      context.db,
      group,
      members.filter((uuid) => known.has(uuid)),
      group.userId,
    );
  const owners = records.map(({ userId }) => userId);
  const users = [...new Set([...(await userIds(context)), ...owners])];
  const keypairs = await captureKeypairs(context, source, users, version);
  const tenants = records.map(({ projectId }) => projectId);
  const projects = [...new Set([...(await projectIds(context)), ...tenants])];
  await captureQuotas(context, source, projects, version);
  return {
    flavors: flavors.length,
    hosts,
    aggregates,
    'server groups': groups.length,
    servers: servers.length,
    'key pairs': keypairs,
  };
}

async function captureFlavors(
  { db, now }: Context,
  source: CaptureSource,
  version: string,
): Promise<Flavor[]> {
  for (const { flavorid } of await listFlavors(db, { sortKey: 'id', descending: false }))
    await deleteFlavor(db, flavorid);
  const path = '/flavors/detail?is_public=None&limit=1000';
  const captured: Flavor[] = [];
  for (const one of await source.list('compute', path, 'flavors', version)) {
    const isPublic = one['os-flavor-access:is_public'] !== false;
    const fields = {
      flavorid: String(one['id']),
      name: String(one['name']),
      vcpus: Number(one['vcpus']),
      memoryMb: Number(one['ram']),
      rootGb: Number(one['disk']),
      ephemeralGb: Number(one['OS-FLV-EXT-DATA:ephemeral'] ?? 0),
      swap: Number(one['swap'] || 0),
      rxtxFactor: Number(one['rxtx_factor'] ?? 1),
      isPublic,
      description: (one['description'] as string | null | undefined) ?? null,
    };
    await insertFlavor(db, fields, now);
    const flavor = (await findFlavor(db, fields.flavorid))!;
    const specs = (one['extra_specs'] ?? {}) as Readonly<Record<string, string>>;
    if (Object.keys(specs).length) await putExtraSpecs(db, flavor.id, specs);
    if (!isPublic)
      for (const project of await accessTo(source, fields.flavorid, version))
        await insertAccess(db, flavor.id, project);
    captured.push(flavor);
  }
  return captured;
}

/** The projects that may use a private flavor. */
async function accessTo(
  source: CaptureSource,
  flavor: string,
  version: string,
): Promise<readonly string[]> {
  const path = `/flavors/${encodeURIComponent(flavor)}/os-flavor-access`;
  const access = entriesOf(await source.get('compute', path, version), 'flavor_access');
  return access.map((one) => String(one['tenant_id']));
}

/** Captures hypervisors with their services. @returns how many */
async function captureHosts(context: Context, source: CaptureSource): Promise<number> {
  const { db, now } = context;
  const version = await source.newest('compute', withSizes);
  const path = '/os-hypervisors/detail?limit=1000';
  const hypervisors = await source.list('compute', path, 'hypervisors', version);
  const services = entriesOf(await source.get('compute', '/os-services', version), 'services');
  const computes = services.filter(({ binary }) => binary === 'nova-compute');
  const added = computes.map((one) => ({
    uuid: String(one['id']),
    host: String(one['host']),
    binary: 'nova-compute',
  }));
  const ids = await insertServices(db, added, now);
  for (const one of computes)
    if (one['status'] === 'disabled' || one['forced_down'] === true)
      await updateService(db, ids.get(String(one['id']))!, {
        disabled: one['status'] === 'disabled',
        disabledReason: (one['disabled_reason'] as string | null | undefined) ?? null,
        forcedDown: one['forced_down'] === true || one['state'] === 'down',
      });
  const hosts = hypervisors.flatMap((one) => {
    const serviceId = ids.get(String((one['service'] as Json)['id']));
    if (serviceId === undefined) return [];
    return {
      uuid: String(one['id']),
      name: String(one['hypervisor_hostname']),
      vcpus: Number(one['vcpus']),
      memoryMb: Number(one['memory_mb']),
      diskGb: Number(one['local_gb']),
      serviceId,
    };
  });
  await insertHosts(db, hosts, now);
  await hostsCaptured(
    context,
    added.map(({ host }) => host),
  );
  return hosts.length;
}

/** Captures aggregates with their hosts and metadata. @returns how many */
async function captureAggregates(
  { db, now }: Context,
  source: CaptureSource,
  version: string,
): Promise<number> {
  const reply = await source.get('compute', '/os-aggregates', version);
  const aggregates = entriesOf(reply, 'aggregates');
  for (const one of aggregates) {
    const fields = { uuid: String(one['uuid']), name: String(one['name']) };
    const id = await insertAggregate(db, fields, now);
    await putMetadata(db, id, one['metadata'] as Readonly<Record<string, string>>);
    await insertAggregateHosts(db, id, one['hosts'] as readonly string[]);
  }
  return aggregates.length;
}

interface CapturedGroup {
  readonly group: ServerGroup;
  readonly members: readonly string[];
}

async function captureGroups(
  { db, now }: Context,
  source: CaptureSource,
  version: string,
): Promise<CapturedGroup[]> {
  const path = '/os-server-groups?all_projects=true';
  const found = entriesOf(await source.get('compute', path, version), 'server_groups');
  const captured: CapturedGroup[] = [];
  for (const one of found) {
    const rules = (one['rules'] ?? {}) as Json;
    const policy = one['policy'] ?? (one['policies'] as readonly string[])[0];
    const group = await insertGroup(
      db,
      {
        uuid: String(one['id']),
        name: String(one['name']),
        policy: policy as ServerGroup['policy'],
        maxServerPerHost: (rules['max_server_per_host'] as number | undefined) ?? null,
        projectId: String(one['project_id']),
        userId: String(one['user_id']),
      },
      now,
    );
    captured.push({ group, members: one['members'] as readonly string[] });
  }
  return captured;
}

/** Captures the quotas of projects, as far as they differ from the default. */
async function captureQuotas(
  { db }: Context,
  source: CaptureSource,
  projects: readonly string[],
  version: string,
): Promise<void> {
  const read = await source.each('quotas', projects, async (project) => {
    const reply = await source.get('compute', `/os-quota-sets/${project}`, version);
    return { project, own: (reply['quota_set'] ?? {}) as Json };
  });
  for (const { project, own } of read) {
    const limits = Object.entries(defaultLimits).flatMap(([name, limit]) =>
      typeof own[name] === 'number' && own[name] !== limit ? [[name, own[name]] as const] : [],
    );
    if (limits.length) await putQuotas(db, project, '', Object.fromEntries(limits));
  }
}
