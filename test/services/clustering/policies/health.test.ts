// Tests of the health policy: it checks nodes in each detection mode, and recovers them.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { novaSpec, onClustering, type ShownNode } from '../support.ts';

onClustering('the health policy', { az1: 2 }, (clustering, world) => {
  it('recreates the stopped server of a node at the next check', async () => {
    const id = await clustering.createCluster(2);
    const detection = {
      interval: 60,
      node_update_timeout: 100,
      detection_modes: [{ type: 'NODE_STATUS_POLLING' }],
    };
    await clustering.attachPolicy(
      id,
      await clustering.createPolicy(
        'health',
        { detection, recovery: { actions: [{ name: 'RECREATE' }] } },
        'h',
        '1.1',
      ),
    );
    const [one] = await clustering.membersOf(id);
    await clustering
      .requestCompute('POST', `/servers/${one!.physical_id}/action`, { body: { 'os-stop': null } })
      .expect(202);
    await world.setTime('2026-11-20T12:01:01Z');
    expect((await clustering.showNode(one!.id)).physical_id).to.equal(one!.physical_id);
    await world.setTime('2026-11-20T12:05:00Z');
    const recovered = await clustering.showNode(one!.id);
    expect(recovered).to.include({ status: 'ACTIVE', status_reason: 'Recovery succeeded' });
    expect(recovered.physical_id).to.not.equal(one!.physical_id);
    expect(await clustering.showServer(one!.physical_id!)).to.equal(undefined);
  });

  /** A server for the polls of a test, whose URL `use` gets. It is closed at the end of the test. */
  async function withServer(listener: RequestListener, use: (url: string) => Promise<void>) {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  }

  /** Creates a cluster of one node whose URL is polled, and lets the first check pass. */
  async function pollOnce(url: string, healthy: string, interval = 3): Promise<ShownNode> {
    const id = await clustering.createCluster(1);
    const options = {
      poll_url: url,
      poll_url_healthy_response: healthy,
      poll_url_retry_limit: 1,
      poll_url_retry_interval: interval,
    };
    const detection = {
      node_update_timeout: 30,
      detection_modes: [{ type: 'NODE_STATUS_POLL_URL', options }],
    };
    const properties = { detection, recovery: { actions: [{ name: 'REBOOT' }] } };
    await clustering.attachPolicy(
      id,
      await clustering.createPolicy('health', properties, 'h', '1.1'),
    );
    const [node] = (await clustering.membersOf(id)) as [ShownNode];
    await world.setTime('2026-11-20T12:01:30Z');
    return clustering.showNode(node.id);
  }

  const recovered = { status: 'ACTIVE', status_reason: 'Recovery succeeded' };

  it('recovers a node whose URL never replies, however long the policy waits', async () => {
    await withServer(
      () => undefined,
      async (url) => {
        expect(await pollOnce(url, 'well', 36_000)).to.include(recovered);
      },
    );
  });

  it('closes the connection to a URL whose response never ends', async () => {
    let closed!: () => void;
    const isClosed = new Promise<void>((resolve) => (closed = resolve));
    await withServer(
      (_, response) => {
        const write = (): void => {
          while (response.write('x'.repeat(65_536)));
        };
        response.on('drain', write);
        response.on('close', closed);
        write();
      },
      async (url) => {
        expect(await pollOnce(url, 'x', 36_000)).to.include({
          status_reason: 'Creation succeeded',
        });
        await isClosed;
      },
    );
  });

  for (const isRedirected of [false, true])
    it(`cannot read /_emulator by polling ${isRedirected ? 'a redirect to it' : 'it'}`, async () => {
      const { port } = world.server.address() as AddressInfo;
      const target = `http://127.0.0.1:${port}/_emulator/openrc`;
      await withServer(
        (_, response) => response.writeHead(302, { location: target }).end(),
        async (url) => {
          const node = await pollOnce(isRedirected ? url : target, 'export OS_');
          expect(node).to.include(recovered);
        },
      );
    });

  it('polls a URL of each node, and recovers a node that returns another response', async () => {
    const paths: string[] = [];
    let unhealthy = '';
    const server = createServer((request, response) => {
      paths.push(request.url!);
      response.end(request.url === unhealthy ? 'down' : 'all is well');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const id = await clustering.createCluster(2);
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
      await clustering.attachPolicy(
        id,
        await clustering.createPolicy('health', properties, 'h', '1.1'),
      );
      const [one, two] = (await clustering.membersOf(id)) as [ShownNode, ShownNode];
      unhealthy = `/${two.name}`;
      await world.setTime('2026-11-20T12:01:30Z');
      expect(paths).to.include.members([`/${one.name}`, `/${two.name}`]);
      expect(await clustering.showNode(one.id)).to.include({ status_reason: 'Creation succeeded' });
      expect(await clustering.showNode(two.id)).to.include({
        status: 'ACTIVE',
        status_reason: 'Recovery succeeded',
      });
    } finally {
      server.close();
    }
  });

  it('recreates the servers of a host that is down on another host', async () => {
    const inZone = await clustering.createProfile(novaSpec({ availability_zone: 'az1' }), 'in-az1');
    const id = await clustering.createCluster(2, { profile_id: inZone });
    const detection = {
      node_update_timeout: 30,
      detection_modes: [{ type: 'HYPERVISOR_STATUS_POLLING' }],
    };
    const properties = { detection, recovery: { actions: [{ name: 'RECREATE' }] } };
    await clustering.attachPolicy(
      id,
      await clustering.createPolicy('health', properties, 'h', '1.1'),
    );
    const hosts = async (): Promise<unknown[]> =>
      Promise.all(
        (await clustering.membersOf(id)).map(
          async ({ physical_id: server }) =>
            (await clustering.showServer(server!))?.['OS-EXT-SRV-ATTR:hypervisor_hostname'],
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
    for (const node of await clustering.membersOf(id)) expect(node.status).to.equal('ACTIVE');
  });
});
