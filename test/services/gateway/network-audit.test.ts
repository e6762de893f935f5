// An audit of the networks of pods: after random work with faults in the pods, each has exactly
// what the central region has given its servers.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import { faultsOf } from '../../emulator/fault-injection/support.ts';
import { Migrating } from './migrating.ts';
import { networkProblems, routingsIn } from './network-problems.ts';
import { Networking } from './networking.ts';
import { admin, bottomRegions, Tenancy, threePods, type Json } from './support.ts';

onEachDatabase('gateway: an audit of the networks of pods', threePods, (world) => {
  const faults = faultsOf(world);
  let cloud: Tenancy;
  let net: Networking;
  let moving: Migrating;
  beforeEach(() => {
    cloud = new Tenancy(world);
    net = new Networking(world, cloud);
    moving = new Migrating(world, cloud);
  });
  afterEach(() => faults.clear());

  const audit = (): Promise<string[]> =>
    networkProblems({
      regions: bottomRegions,
      list: (region, type) => net.list(type, '', { as: admin, at: region }),
      routings: () => routingsIn(world.cloud.central.db),
      servers: async () => {
        const { body } = await cloud.nova('GET', '/servers/detail?all_tenants=1', { as: admin });
        return ((body as Json)['servers'] as Json[]).map(({ id }) => id as string);
      },
    });

  /** Servers that are in another pod than their routing says, or in two. */
  async function misplaced(): Promise<string[]> {
    const problems: string[] = [];
    for (const region of bottomRegions)
      for (const id of await moving.inPod(region, 'servers')) {
        const routed = await cloud.podOf(id);
        if (routed !== undefined && routed !== region)
          problems.push(`${region} has the server ${id} of ${routed}`);
      }
    return problems;
  }

  /** Seeds, and whether servers are migrated meanwhile. */
  const runs = [
    [1, false],
    [2, false],
    [3, false],
    [4, false],
    [7, true],
    [13, true],
  ] as const;
  for (const [seed, migrates] of runs)
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
        ...(migrates ? [migrate, migrate, () => moving.pass(4)] : []),
      ];
      async function migrate(): Promise<void> {
        const target = await moving.podId(pick(['Pod1', 'Pod2'])!);
        await moving.ask('POST', '', { server_id: pick(await servers()), target_pod_id: target });
      }
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
      expect([...(await audit()), ...(await misplaced())]).to.deep.equal([]);
    });
});
