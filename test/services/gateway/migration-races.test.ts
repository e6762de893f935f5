// Migrations between pods that compete with each other, and with what clients do to the server,
// through two processes on one MySQL.
import { expect } from 'chai';
import { onTwoProcesses } from '../../support/processes.ts';
import { requestJson } from './requests.ts';
import type { Json } from './support.ts';

const flags = ['--regions', 'CentralRegion,Pod1,Pod2,Pod3', '--hosts', '1'];
const regions = ['Pod1', 'Pod2', 'Pod3'] as const;

/** How often each race runs. */
const rounds = 3;

onTwoProcesses('migrations through two processes on one MySQL', flags, (origins) => {
  const pods: Record<string, string> = {};
  let imageRef = '';
  let network = '';

  const admin = (origin: string, method: string, path: string, body?: object): Promise<Json> =>
    requestJson(origin, method, path, body, { user: 'admin' });
  const central = (method: string, path: string, body?: object): Promise<Json> =>
    admin(origins()[0], method, `/CentralRegion${path}`, body);

  /** The reply to a request, or the message of its refusal, which must not be a fault. */
  const tried = async (request: Promise<Json>): Promise<Json> =>
    request.catch((error: unknown) => {
      const refusal = String(error);
      expect(refusal).not.to.match(/: 500 /);
      return { refusal };
    });

  const migrate = (process: 0 | 1, server: string, target: string): Promise<Json> =>
    tried(
      admin(origins()[process], 'POST', '/tricircle/v1.0/migrations', {
        migration: { server_id: server, target_pod_id: pods[target] },
      }),
    );

  /** The moves that a reply has started. */
  const movesIn = ({ migration }: Json): Json[] => (migration?.['moves'] ?? []) as Json[];

  /** Moves the clock through both processes until all migrations have ended. */
  async function finish(): Promise<Json[]> {
    for (let second = 0; second < 120; second++) {
      await Promise.all(
        origins().map((origin) =>
          admin(origin, 'POST', '/_emulator/clock/advance', { seconds: 1 }),
        ),
      );
      const { migrations } = await admin(origins()[1], 'GET', '/tricircle/v1.0/migrations');
      const all = migrations as Json[];
      if (all.every((one) => one['finished_at'] !== null)) return all;
    }
    throw new Error('A migration does not end.');
  }

  const listed = async (region: string, path: string, key: string): Promise<Json[]> =>
    (await admin(origins()[0], 'GET', `/${region}${path}`))[key] as Json[];

  /** The pods that have something with an id, or the copy of a central port. */
  async function podsWith(path: string, key: string, id: string): Promise<string[]> {
    const found: string[] = [];
    for (const region of regions)
      for (const one of await listed(region, path, key))
        if (one['id'] === id || one['name'] === id) found.push(region);
    return found;
  }

  const podsWithServer = (id: string): Promise<string[]> =>
    podsWith('/compute/v2.1/servers?all_tenants=1', 'servers', id);

  /** The pods whose Placement has claims of a server. */
  async function podsWithClaims(id: string): Promise<string[]> {
    const found: string[] = [];
    for (const region of regions) {
      const path = `/${region}/placement/allocations/${id}`;
      const { allocations } = await admin(origins()[0], 'GET', path);
      if (Object.keys(allocations as Json).length) found.push(region);
    }
    return found;
  }

  async function createServer(): Promise<{ id: string; port: string }> {
    const { port } = await central('POST', '/network/v2.0/ports', {
      port: { network_id: network },
    });
    const server = {
      name: 'race',
      imageRef,
      flavorRef: '1',
      networks: [{ port: port.id }],
      availability_zone: 'az1',
    };
    const created = await central('POST', '/compute/v2.1/servers', { server });
    await finish();
    return { id: created['server'].id, port: port.id };
  }

  /** Expects a server, its port and its claims in one pod, where it can be used. */
  async function expectWhole({ id, port }: { id: string; port: string }): Promise<string> {
    const { server } = await central('GET', `/compute/v2.1/servers/${id}`);
    expect(server).to.include({ status: 'ACTIVE', locked: false });
    const [pod, ...others] = await podsWithServer(id);
    expect(others).to.deep.equal([]);
    expect(await podsWith('/network/v2.0/ports', 'ports', port)).to.deep.equal([pod]);
    expect(await podsWithClaims(id)).to.deep.equal([pod]);
    return pod!;
  }

  before(async () => {
    const [first] = origins();
    await admin(first, 'PUT', '/_emulator/clock', { frozen: true });
    for (const region_name of regions) {
      const { pod } = await admin(first, 'POST', '/tricircle/v1.0/pods', {
        pod: { region_name, az_name: region_name === 'Pod1' ? 'az1' : 'az2' },
      });
      pods[region_name] = pod.pod_id;
    }
    imageRef = (await listed('CentralRegion', '/image/v2/images', 'images'))[0]!['id'];
    const created = await central('POST', '/network/v2.0/networks', { network: { name: 'own' } });
    network = created['network'].id;
    const subnet = { network_id: network, ip_version: 4, cidr: '10.70.0.0/24' };
    await central('POST', '/network/v2.0/subnets', { subnet });
  });

  it('move a server once if two begin at the same time', async () => {
    for (let round = 0; round < rounds; round++) {
      const server = await createServer();
      const replies = await Promise.all([
        migrate(0, server.id, 'Pod2'),
        migrate(1, server.id, 'Pod3'),
      ]);
      expect(replies.flatMap(movesIn), JSON.stringify(replies)).to.have.length(1);
      const target = movesIn(replies[0]!).length ? 'Pod2' : 'Pod3';
      await finish();
      expect(await expectWhole(server)).to.equal(target);
      await central('DELETE', `/compute/v2.1/servers/${server.id}`);
    }
  });

  it('move a server, or leave nothing of it, if it is deleted meanwhile', async () => {
    for (let round = 0; round < rounds; round++) {
      const server = await createServer();
      const path = `/compute/v2.1/servers/${server.id}`;
      const begun = migrate(1, server.id, 'Pod2');
      // The deletion competes with another step in each round.
      if (round) await begun;
      for (let second = 0; second < round * 2; second++)
        await admin(origins()[0], 'POST', '/_emulator/clock/advance', { seconds: 1 });
      const deleted = await tried(central('DELETE', path));
      await begun;
      await finish();
      if (deleted['refusal']) {
        await expectWhole(server);
        await central('DELETE', path);
        await finish();
      }
      expect(await podsWithServer(server.id)).to.deep.equal([]);
      expect(await podsWithClaims(server.id)).to.deep.equal([]);
      expect(await podsWith('/network/v2.0/ports', 'ports', server.port)).to.deep.equal([]);
      const { port } = await central('GET', `/network/v2.0/ports/${server.port}`);
      expect(port['device_id']).to.equal('');
    }
  });

  it('keep a server with the volume that is attached meanwhile', async () => {
    for (let round = 0; round < rounds; round++) {
      const server = await createServer();
      const { volume } = await central('POST', '/volume/v3/volumes', {
        volume: { size: 1, name: 'data', availability_zone: 'az1' },
      });
      await finish();
      const attachment = { volumeAttachment: { volumeId: volume.id } };
      const path = `/compute/v2.1/servers/${server.id}/os-volume_attachments`;
      const [, attached] = await Promise.all([
        migrate(1, server.id, 'Pod2'),
        tried(central('POST', path, attachment)),
      ]);
      await finish();
      const pod = await expectWhole(server);
      const { volume: shown } = await central('GET', `/volume/v3/volumes/${volume.id}`);
      const { volumeAttachments } = await central('GET', path);
      const where = await podsWith('/volume/v3/volumes?all_tenants=1', 'volumes', volume.id);
      if (attached['refusal']) {
        expect(shown['status']).to.equal('available');
        expect(volumeAttachments).to.deep.equal([]);
        expect(where).to.have.length(1);
      } else {
        expect(shown['status']).to.equal('in-use');
        expect((volumeAttachments as Json[]).map((one) => one['volumeId'])).to.deep.equal([
          volume.id,
        ]);
        expect(where).to.deep.equal([pod]);
      }
      await central('DELETE', `/compute/v2.1/servers/${server.id}`);
    }
  });

  it('empty a pod once if it is drained twice at the same time', async () => {
    const servers = [await createServer(), await createServer(), await createServer()];
    const drain = (process: 0 | 1, target: string): Promise<Json> =>
      tried(admin(origins()[process], 'POST', '/_emulator/pods/Pod1/drain', { target }));
    const replies = await Promise.all([drain(0, 'Pod2'), drain(1, 'Pod3')]);
    await finish();
    const moved = replies.flatMap((reply) => (reply['moves'] ?? []) as Json[]);
    const serversIn = (moves: readonly Json[]): string[] =>
      moves
        .flatMap(({ resources }) => resources as Json[])
        .filter((one) => one['resource_type'] === 'server')
        .map(({ id }) => id as string);
    expect(serversIn(moved), JSON.stringify(replies)).to.have.members(servers.map(({ id }) => id));
    for (const server of servers) expect(await expectWhole(server)).not.to.equal('Pod1');
    expect(await listed('Pod1', '/compute/v2.1/servers?all_tenants=1', 'servers')).to.deep.equal(
      [],
    );
  });
});
