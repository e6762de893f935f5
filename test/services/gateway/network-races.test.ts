// Concurrent servers on one network of the central region, through two processes on one MySQL,
// while their pod changes.
import { expect } from 'chai';
import { onTwoProcesses } from '../../support/processes.ts';
import { requestJson as ask } from './requests.ts';
import type { Json } from './support.ts';

const regions = ['RegionOne', 'RegionTwo'];
const flags = ['--regions', `CentralRegion,${regions.join(',')}`, '--hosts', '1'];

onTwoProcesses('servers on one network through two processes on one MySQL', flags, (origins) => {
  it('get different addresses, and each pod has the network once', async () => {
    const [first] = origins();
    const admin = (method: string, path: string, body?: object) =>
      ask(first, method, path, body, { user: 'admin' });
    for (const region_name of regions)
      await admin('POST', '/tricircle/v1.0/pods', { pod: { region_name, az_name: 'az1' } });
    const neutron = '/CentralRegion/network/v2.0';
    const { network } = await ask(first, 'POST', `${neutron}/networks`, {
      network: { name: 'own' },
    });
    const subnet = { network_id: network.id, ip_version: 4, cidr: '10.40.0.0/24' };
    await ask(first, 'POST', `${neutron}/subnets`, { subnet });
    const { images } = await ask(first, 'GET', '/CentralRegion/image/v2/images');
    const server = {
      name: 'race',
      imageRef: images[0].id,
      flavorRef: '1',
      networks: [{ uuid: network.id }],
    };
    const servers = '/CentralRegion/compute/v2.1/servers';
    const create = (index: number): Promise<Json> =>
      ask(origins()[index % 2]!, 'POST', servers, { server });
    const some = (count: number) =>
      Promise.all(Array.from({ length: count }, (_, index) => create(index)));
    await some(4);
    const { pods } = await admin('GET', '/tricircle/v1.0/pods');
    const used = (pods as Json[]).find(({ region_name: name }) => name === 'RegionOne')!;
    const maintain = admin('PUT', `/tricircle/v1.0/pods/${used['pod_id']}`, {
      pod: { is_under_maintenance: true },
    });
    await Promise.all([some(4), maintain]);
    await some(2);

    const { ports } = await ask(first, 'GET', `${neutron}/ports?network_id=${network.id}`);
    const own = (ports as Json[]).filter(({ device_owner: owner }) => owner === 'compute:az1');
    expect(own).to.have.length(10);
    expect(new Set(own.map((port) => port['fixed_ips'][0].ip_address)).size).to.equal(10);
    let found = 0;
    for (const region of regions) {
      const there = `/${region}/network/v2.0`;
      const { networks } = await admin('GET', `${there}/networks?name=${network.id}`);
      expect(networks, region).to.have.length(1);
      const inPod = await admin('GET', `${there}/ports?network_id=${networks[0].id}`);
      const named = new Map((inPod['ports'] as Json[]).map((port) => [port['name'], port]));
      for (const port of own.filter(({ id }) => named.has(id))) {
        found++;
        expect(named.get(port['id'])!['fixed_ips'][0].ip_address).to.equal(
          port['fixed_ips'][0].ip_address,
        );
      }
    }
    expect(found).to.equal(10);
  });
});
