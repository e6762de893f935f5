// An audit of the networks of pods: after random work with faults in the pods, each has exactly
// what the central region has given its servers.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import { faultsOf } from '../../emulator/fault-injection/support.ts';
import { Networking } from './networking.ts';
import { admin, bottomRegions, Tenancy, threePods, type Json } from './support.ts';

/** The fields that a copy shares with the central resource, by type. */
const sharedFields: Readonly<Record<string, readonly string[]>> = {
  network: ['admin_state_up', 'router:external', 'port_security_enabled', 'project_id'],
  subnet: ['cidr', 'gateway_ip', 'dns_nameservers', 'host_routes', 'allocation_pools'],
  security_group: ['project_id', 'stateful'],
  port: ['mac_address', 'admin_state_up', 'allowed_address_pairs', 'project_id'],
  router: ['admin_state_up', 'project_id'],
  floatingip: ['floating_ip_address', 'fixed_ip_address', 'project_id'],
};

const addressesOf = (port: Json): string[] =>
  (port['fixed_ips'] as Json[]).map((fixed) => fixed['ip_address'] as string).toSorted();

onEachDatabase('gateway: an audit of the networks of pods', threePods, (world) => {
  const faults = faultsOf(world);
  let cloud: Tenancy;
  let net: Networking;
  beforeEach(() => {
    cloud = new Tenancy(world);
    net = new Networking(world, cloud);
  });
  afterEach(() => faults.clear());

  /** All problems of one type in one pod. */
  async function problemsIn(region: string, type: string): Promise<string[]> {
    const rows = (await world.cloud.central
      .db('tricircle_routings as r')
      .join('tricircle_pods as p', 'p.id', 'r.pod_id')
      .where({ 'p.region_name': region, 'r.resource_type': type })
      .select('r.top_id', 'r.bottom_id')) as { top_id: string; bottom_id: string }[];
    const tops = new Map(rows.map(({ top_id: top, bottom_id: bottom }) => [bottom, top]));
    const central = new Map(
      (await net.list(type, '', { as: admin })).map((record) => [record['id'], record]),
    );
    const inPod = await net.list(type, '', { as: admin, at: region });
    const found = new Map(inPod.map((record) => [record['id'] as string, record]));
    const problems = rows
      .filter(({ bottom_id: id }) => !found.has(id))
      .map(({ top_id: id }) => `${region}: a routing of the ${type} ${id} leads nowhere`);
    for (const [id, copy] of found) {
      const top = tops.get(id);
      const isCopy = central.has(copy['name']) || /^[0-9a-f-]{36}$/.test(String(copy['name']));
      if (top === undefined && !isCopy) continue;
      const own = top === undefined ? undefined : central.get(top);
      if (top === undefined) problems.push(`${region}: the ${type} ${id} has no routing`);
      else if (!own) problems.push(`${region}: the ${type} ${top} is gone in the central region`);
      else problems.push(...differences(region, type, own, copy));
    }
    return problems;
  }

  function differences(region: string, type: string, own: Json, copy: Json): string[] {
    const pairs = (sharedFields[type] ?? []).map((name) => [name, own[name], copy[name]] as const);
    const more =
      type === 'port'
        ? ([
            ['fixed_ips', addressesOf(own), addressesOf(copy)],
            ['groups', own['security_groups'].length, copy['security_groups'].length],
            ...(String(own['device_owner']).startsWith('compute:')
              ? ([['device_id', own['device_id'], copy['device_id']]] as const)
              : []),
          ] as const)
        : type === 'security_group'
          ? ([
              ['rules', own['security_group_rules'].length, copy['security_group_rules'].length],
            ] as const)
          : [];
    return [...pairs, ...more]
      .filter(([, one, other]) => JSON.stringify(one) !== JSON.stringify(other))
      .map(
        ([name, one, other]) =>
          `${region}: ${type} ${own['id']}: ${name} is ${JSON.stringify(other)} instead of ` +
          JSON.stringify(one),
      );
  }

  /** All problems of the cloud. */
  async function audit(): Promise<string[]> {
    const problems: string[] = [];
    for (const region of bottomRegions)
      for (const type of Object.keys(sharedFields))
        problems.push(...(await problemsIn(region, type)));
    const { body } = await cloud.nova('GET', '/servers/detail?all_tenants=1', { as: admin });
    const servers = new Set(((body as Json)['servers'] as Json[]).map(({ id }) => id as string));
    for (const port of await net.list('port', '', { as: admin }))
      if (port['device_owner'].startsWith('compute:') && !servers.has(port['device_id']))
        problems.push(`the central port ${port['id']} belongs to no server`);
    return problems;
  }

  for (const seed of [1, 2, 3, 4])
    it(`finds no difference after random work with faults (seed ${seed})`, async () => {
      const seeded = new SeededRandom(seed);
      const random = (): number => seeded.roll();
      const pick = <T>(items: readonly T[]): T | undefined => seeded.pick(items);
      const own = (type: string): Promise<Json[]> => net.list(type, 'project_id=acme');
      const servers = async (): Promise<string[]> =>
        (
          ((await cloud.nova('GET', '/servers')).body as Json)['servers'] as Json[] | undefined
        )?.map(({ id }) => id as string) ?? [];
      const imageRef = await cloud.image();
      const { subnet } = await net.network('n0', '10.50.0.0/24');
      const router = await net.router(subnet['id']);
      const group = await net.create('security_group', { name: 'g0' });
      const [outside] = await net.list('network', 'name=public');
      let count = 0;
      const operations: readonly (() => Promise<unknown>)[] = [
        async () => {
          const cidr = `10.51.${count++}.0/24`;
          const network = await net.create('network', { name: `n${count}` });
          await net.create('subnet', { network_id: network['id'], cidr, ip_version: 4 });
        },
        async () => {
          const network = pick(await own('network'));
          const server = {
            name: 's',
            imageRef,
            flavorRef: '1',
            networks: [{ uuid: network!['id'] }],
            security_groups: random() < 0.5 ? [{ name: 'g0' }] : [],
          };
          await cloud.nova('POST', '/servers', { body: { server } });
        },
        async () => {
          const network = pick(await own('network'));
          const body = { port: { network_id: network!['id'], security_groups: [group['id']] } };
          const made = (await net.ask('POST', '/ports', { body })).body as Json;
          const networks = [{ port: (made['port'] as Json | undefined)?.['id'] ?? '' }];
          const server = { name: 'p', imageRef, flavorRef: '1', networks };
          await cloud.nova('POST', '/servers', { body: { server } });
        },
        async () => cloud.nova('DELETE', `/servers/${pick(await servers())}`),
        async () => {
          const found = pick(await own('subnet'));
          const body = { subnet: { dns_nameservers: [`10.1.1.${count++ % 200}`] } };
          await net.ask('PUT', `/subnets/${found!['id']}`, { body });
        },
        async () => {
          const security_group_rule = {
            security_group_id: group['id'],
            direction: 'ingress',
            protocol: 'tcp',
            port_range_min: 1 + count,
            port_range_max: 1 + count++,
          };
          await net.ask('POST', '/security-group-rules', { body: { security_group_rule } });
        },
        async () => {
          const { security_group_rules: rules } = await net.show('security_group', group['id']);
          await net.ask('DELETE', `/security-group-rules/${pick(rules as Json[])?.['id']}`);
        },
        async () => {
          const port = pick((await own('port')).filter((one) => one['device_id'] !== router['id']));
          const changes = { admin_state_up: random() < 0.5, security_groups: [group['id']] };
          await net.ask('PUT', `/ports/${port?.['id']}`, { body: { port: changes } });
        },
        async () => {
          const body = { interfaceAttachment: { net_id: pick(await own('network'))!['id'] } };
          await cloud.nova('POST', `/servers/${pick(await servers())}/os-interface`, { body });
        },
        async () => {
          const id = pick(await servers());
          const port = pick(await net.portsOf(String(id)));
          await cloud.nova('DELETE', `/servers/${id}/os-interface/${port?.['id']}`);
        },
        async () => {
          const port = pick(await net.list('port', `fixed_ips=subnet_id%3D${subnet['id']}`));
          const body = {
            floatingip: { floating_network_id: outside!['id'], port_id: port?.['id'] },
          };
          await net.ask('POST', '/floatingips', { body });
        },
        async () => {
          const port = pick(await net.list('port', `fixed_ips=subnet_id%3D${subnet['id']}`));
          const body = { floatingip: { port_id: random() < 0.5 ? null : port?.['id'] } };
          await net.ask('PUT', `/floatingips/${pick(await own('floatingip'))?.['id']}`, { body });
        },
        async () => net.ask('DELETE', `/floatingips/${pick(await own('floatingip'))?.['id']}`),
        async () => {
          const change = random() < 0.5 ? 'add' : 'remove';
          await net.ask('PUT', `/routers/${router['id']}/${change}_router_interface`, {
            body: { subnet_id: pick(await own('subnet'))!['id'] },
          });
        },
        async () => net.ask('DELETE', `/networks/${pick(await own('network'))?.['id']}`),
        async () => {
          await cloud.pod(pick(['Pod1', 'Pod2'])!, { is_under_maintenance: random() < 0.5 });
        },
      ];
      await faults.add({
        match: { service: 'network', inside: true, region: 'Pod1' },
        effect: { status: 503 },
        probability: 0.1,
        seed: `network-${seed}`,
      });
      await faults.add({
        match: { service: 'compute', inside: true, region: 'Pod1', operation: 'servers:create' },
        effect: { drop: true, when: seed % 2 ? 'after' : 'before' },
        probability: 0.3,
        seed: `compute-${seed}`,
      });
      for (let round = 0; round < 60; round++) {
        if (!(await own('network')).length) await operations[0]!();
        await pick(operations)!();
      }
      await faults.clear();
      for (const day of ['21', '22', '23', '24']) {
        await world.setTime(`2026-11-${day}T12:00:00Z`);
        await net.list('network', 'limit=1');
      }
      expect(await audit()).to.deep.equal([]);
    });
});
