// Races of servers on one network in a pod of this process and a pod in another one, and an audit
// of both.
import { expect } from 'chai';
import { pause } from '../../../src/kernel/clock.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import { FarCloud } from './far-cloud.ts';
import { networkProblems, routingsIn } from './network-problems.ts';
import type { Json } from './support.ts';

/** The path of a type in Neutron. */
const pathOf = (type: string): string => `/network/v2.0/${type.replaceAll('_', '-')}s`;

describe('gateway: networks of a pod in another process', () => {
  const cloud = new FarCloud({ hosts: '1' });
  const zones = ['near', 'far'];
  const nova = '/CentralRegion/compute/v2.1';
  let imageRef = '';

  const list = async (region: string, type: string): Promise<Json[]> => {
    const { body } =
      region === 'Far'
        ? await cloud.askPod('GET', pathOf(type))
        : await cloud.ask('GET', `/${region}${pathOf(type)}`);
    return body[`${type}s`] as Json[];
  };
  const create = async (type: string, fields: Json): Promise<Json> => {
    const path = `/CentralRegion${pathOf(type)}`;
    const { status, body } = await cloud.ask('POST', path, { [type]: fields });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body[type] as Json;
  };
  const remove = (type: string, id: string) =>
    cloud.ask('DELETE', `/CentralRegion${pathOf(type)}/${id}`);
  const servers = async (): Promise<string[]> =>
    ((await cloud.ask('GET', `${nova}/servers`)).body['servers'] as Json[]).map(
      ({ id }) => id as string,
    );

  let count = 0;
  /** Creates a network with a subnet and a router. */
  async function newNetwork(): Promise<Json> {
    const network = await create('network', { name: 'own' });
    const cidr = `10.90.${count++}.0/24`;
    const subnet = await create('subnet', { network_id: network['id'], cidr, ip_version: 4 });
    const outside = (await list('CentralRegion', 'network')).find(({ name }) => name === 'public');
    const router = await create('router', {
      external_gateway_info: { network_id: outside!['id'] },
    });
    const path = `/CentralRegion${pathOf('router')}/${router['id']}/add_router_interface`;
    await cloud.ask('PUT', path, { subnet_id: subnet['id'] });
    return network;
  }

  const boot = (network: Json, zone: string) =>
    cloud.ask('POST', `${nova}/servers`, {
      server: {
        name: 's',
        imageRef,
        flavorRef: '1',
        networks: [{ uuid: network['id'] }],
        availability_zone: zone,
      },
    });

  /** All problems, after all jobs have run. */
  async function audit(): Promise<string[]> {
    for (let round = 0; round < 5; round++) {
      // A token is valid for an hour.
      await cloud.ask('POST', '/_emulator/clock/advance', { seconds: 3500 });
      await cloud.signIn();
      await list('CentralRegion', 'network');
    }
    const routings = () => routingsIn(cloud.central.cloud.central.db);
    return networkProblems({ regions: ['RegionOne', 'Far'], list, routings, servers });
  }

  before(async () => {
    await cloud.start();
    await cloud.addPod('RegionOne', 'near');
    const { body } = await cloud.ask('GET', '/CentralRegion/image/v2/images?name=cirros');
    imageRef = body['images'][0].id as string;
    await cloud.ask('PUT', `${nova}/os-quota-sets/${cloud.projectId}`, {
      quota_set: { instances: 1000, cores: 1000, ram: 10_000_000 },
    });
  });
  after(() => cloud.stop());

  it('have each network once that both pods get at the same time, with different addresses', async () => {
    const network = await newNetwork();
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) => boot(network, zones[index % 2]!)),
    );
    for (const { status, body } of replies) expect(status, JSON.stringify(body)).to.equal(202);
    const addresses = new Set<string>();
    for (const region of ['RegionOne', 'Far']) {
      const copies = (await list(region, 'network')).filter(({ name }) => name === network['id']);
      expect(copies, region).to.have.length(1);
      for (const port of await list(region, 'port'))
        if (port['network_id'] === copies[0]!['id'] && port['device_owner'].startsWith('compute:'))
          addresses.add(port['fixed_ips'][0].ip_address as string);
    }
    expect(addresses.size).to.equal(8);
    expect(await audit()).to.deep.equal([]);
  });

  it('leave nothing of a network whose servers and itself are deleted meanwhile', async () => {
    for (let round = 0; round < 3; round++) {
      const network = await newNetwork();
      const some = Array.from({ length: 4 }, (_, index) => boot(network, zones[index % 2]!));
      await pause(20 * round);
      for (const id of await servers()) await cloud.ask('DELETE', `${nova}/servers/${id}`);
      await remove('network', network['id'] as string);
      await Promise.all(some);
    }
    expect(await audit()).to.deep.equal([]);
  });

  it('are like the central ones after the pod was killed at random', async () => {
    const random = new SeededRandom(1);
    const networks = [await newNetwork(), await newNetwork()];
    for (let round = 0; round < 3; round++) {
      const work = Promise.allSettled([
        boot(random.pick(networks)!, 'far'),
        boot(random.pick(networks)!, random.pick(zones)!),
        cloud.ask('DELETE', `${nova}/servers/${random.pick(await servers())}`),
      ]);
      await pause(random.roll() * 300);
      await cloud.pod.kill();
      await work;
      await cloud.startPod();
    }
    expect(await audit()).to.deep.equal([]);
  });
});
