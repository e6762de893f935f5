// Tests of the health policy: nodes are looked at in each of its ways, and those that are not well
// are recovered.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { novaSpec, onClustering, type ShownNode } from './support.ts';

onClustering('the health policy', { az1: 2 }, (the, world) => {
  it('a node that is not well is made anew by the emulator’s clock', async () => {
    const id = await the.makeCluster(2);
    const detection = {
      interval: 60,
      node_update_timeout: 100,
      detection_modes: [{ type: 'NODE_STATUS_POLLING' }],
    };
    await the.attach(
      id,
      await the.makePolicy(
        'health',
        { detection, recovery: { actions: [{ name: 'RECREATE' }] } },
        'h',
        '1.1',
      ),
    );
    const [one] = await the.membersOf(id);
    await the
      .compute('POST', `/servers/${one!.physical_id}/action`, { body: { 'os-stop': null } })
      .expect(202);
    await world.setTime('2026-11-20T12:01:01Z');
    expect((await the.showNode(one!.id)).physical_id).to.equal(one!.physical_id);
    await world.setTime('2026-11-20T12:05:00Z');
    const recovered = await the.showNode(one!.id);
    expect(recovered).to.include({ status: 'ACTIVE', status_reason: 'Recovery succeeded' });
    expect(recovered.physical_id).to.not.equal(one!.physical_id);
    expect(await the.showServer(one!.physical_id!)).to.equal(undefined);
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
      const id = await the.makeCluster(2);
      const options = {
        poll_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/{nodename}`,
        poll_url_healthy_response: 'well',
        poll_url_retry_limit: 1,
      };
      const detection = {
        node_update_timeout: 30,
        detection_modes: [{ type: 'NODE_STATUS_POLL_URL', options }],
      };
      const properties = { detection, recovery: { actions: [{ name: 'REBOOT' }] } };
      await the.attach(id, await the.makePolicy('health', properties, 'h', '1.1'));
      const [one, two] = (await the.membersOf(id)) as [ShownNode, ShownNode];
      ill = `/${two.name}`;
      await world.setTime('2026-11-20T12:01:30Z');
      expect(asked).to.include.members([`/${one.name}`, `/${two.name}`]);
      expect(await the.showNode(one.id)).to.include({ status_reason: 'Creation succeeded' });
      expect(await the.showNode(two.id)).to.include({
        status: 'ACTIVE',
        status_reason: 'Recovery succeeded',
      });
    } finally {
      server.close();
    }
  });

  it('the nodes of a host that is down are made anew elsewhere', async () => {
    const inZone = await the.makeProfile(novaSpec({ availability_zone: 'az1' }), 'in-az1');
    const id = await the.makeCluster(2, { profile_id: inZone });
    const detection = {
      node_update_timeout: 30,
      detection_modes: [{ type: 'HYPERVISOR_STATUS_POLLING' }],
    };
    const properties = { detection, recovery: { actions: [{ name: 'RECREATE' }] } };
    await the.attach(id, await the.makePolicy('health', properties, 'h', '1.1'));
    const hosts = async (): Promise<unknown[]> =>
      Promise.all(
        (await the.membersOf(id)).map(
          async ({ physical_id: server }) =>
            (await the.showServer(server!))?.['OS-EXT-SRV-ATTR:hypervisor_hostname'],
        ),
      );
    const [host] = await hosts();
    const { body } = await world.ask(
      'compute',
      'GET',
      `/compute/v2.1/os-services?host=${String(host)}`,
      { version: '2.53' },
    );
    const [service] = (body as { services: { id: string }[] }).services;
    const down = { version: '2.53', body: { forced_down: true } };
    await world.ask('compute', 'PUT', `/compute/v2.1/os-services/${service!.id}`, down).expect(200);
    await world.setTime('2026-11-20T12:02:10Z');
    expect(await hosts()).to.not.include(host);
    for (const node of await the.membersOf(id)) expect(node.status).to.equal('ACTIVE');
  });
});
