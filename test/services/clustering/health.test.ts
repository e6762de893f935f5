// Tests of the health policy: nodes are looked at in each of its ways, and those that are not well are recovered.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  attach,
  config,
  makeCluster,
  makeHosts,
  makePolicy,
  makeProfile,
  membersOf,
  novaSpec,
  showNode,
  showServer,
  type ShownNode,
} from './support.ts';

onEachDatabase('the health policy', config, (world) => {
  let profile: string;

  beforeEach(async () => {
    await makeHosts(world, { az1: 2 });
    profile = await makeProfile(world);
  });

  it('a node that is not well is made anew by the emulator’s clock', async () => {
    const id = await makeCluster(world, profile, 2);
    const detection = { interval: 60, node_update_timeout: 100, detection_modes: [{ type: 'NODE_STATUS_POLLING' }] };
    await attach(
      world,
      id,
      await makePolicy(world, 'health', { detection, recovery: { actions: [{ name: 'RECREATE' }] } }, 'h', '1.1'),
    );
    const [one] = await membersOf(world, id);
    await world.ask('compute', 'POST', `/compute/v2.1/servers/${one!.physical_id}/action`, { token: 'admin:demo', body: { 'os-stop': null } }).expect(202); // prettier-ignore
    await world.setTime('2026-11-20T12:01:01Z');
    expect((await showNode(world, one!.id)).physical_id).to.equal(one!.physical_id);
    await world.setTime('2026-11-20T12:05:00Z');
    const recovered = await showNode(world, one!.id);
    expect(recovered).to.include({ status: 'ACTIVE', status_reason: 'Recovery succeeded' });
    expect(recovered.physical_id).to.not.equal(one!.physical_id);
    expect(await showServer(world, one!.physical_id!)).to.equal(undefined);
  });

  it('a node is looked at by a URL of its own', async () => {
    const asked: string[] = [];
    let ill = '';
    const server = createServer((request, response) => {
      asked.push(request.url!);
      response.end(request.url === ill ? 'down' : 'all is well');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const id = await makeCluster(world, profile, 2);
      const options = {
        poll_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/{nodename}`,
        poll_url_healthy_response: 'well',
        poll_url_retry_limit: 1,
      };
      const detection = { node_update_timeout: 30, detection_modes: [{ type: 'NODE_STATUS_POLL_URL', options }] };
      const properties = { detection, recovery: { actions: [{ name: 'REBOOT' }] } };
      await attach(world, id, await makePolicy(world, 'health', properties, 'h', '1.1'));
      const [one, two] = (await membersOf(world, id)) as [ShownNode, ShownNode];
      ill = `/${two.name}`;
      await world.setTime('2026-11-20T12:01:30Z');
      expect(asked).to.include.members([`/${one.name}`, `/${two.name}`]);
      expect(await showNode(world, one.id)).to.include({ status_reason: 'Creation succeeded' });
      expect(await showNode(world, two.id)).to.include({ status: 'ACTIVE', status_reason: 'Recovery succeeded' });
    } finally {
      server.close();
    }
  });

  it('the nodes of a host that is down are made anew elsewhere', async () => {
    const id = await makeCluster(world, await makeProfile(world, novaSpec({ availability_zone: 'az1' }), 'in-az1'), 2);
    const detection = { node_update_timeout: 30, detection_modes: [{ type: 'HYPERVISOR_STATUS_POLLING' }] };
    const properties = { detection, recovery: { actions: [{ name: 'RECREATE' }] } };
    await attach(world, id, await makePolicy(world, 'health', properties, 'h', '1.1'));
    const hosts = async (): Promise<unknown[]> =>
      Promise.all(
        (await membersOf(world, id)).map(
          async ({ physical_id: server }) => (await showServer(world, server!))?.['OS-EXT-SRV-ATTR:hypervisor_hostname'],
        ),
      );
    const [host] = await hosts();
    const { body } = await world.ask('compute', 'GET', `/compute/v2.1/os-services?host=${String(host)}`, { version: '2.53' });
    const [service] = (body as { services: { id: string }[] }).services;
    const down = { version: '2.53', body: { forced_down: true } };
    await world.ask('compute', 'PUT', `/compute/v2.1/os-services/${service!.id}`, down).expect(200);
    await world.setTime('2026-11-20T12:02:10Z');
    expect(await hosts()).to.not.include(host);
    for (const node of await membersOf(world, id)) expect(node.status).to.equal('ACTIVE');
  });
});
