// Tests of a pod in another process, which the gateway reaches over HTTP: ordinary requests, and
// requests while the pod is down or dies.
import { expect } from 'chai';
import { FarCloud } from './far-cloud.ts';
import type { Json } from './support.ts';

describe('gateway: a pod in another process', () => {
  const cloud = new FarCloud();
  const ask: FarCloud['ask'] = (...request) => cloud.ask(...request);
  const nova = (method: string, path: string, body?: unknown) =>
    ask(method, `/CentralRegion/compute/v2.1${path}`, body);
  const cinder = (method: string, path: string, body?: unknown) =>
    ask(method, `/CentralRegion/volume/v3${path}`, body);
  const newServer = async (name: string) => {
    const { body } = await ask('GET', '/CentralRegion/image/v2/images');
    const imageRef = (body['images'] as { id: string }[])[0]!.id;
    return nova('POST', '/servers', {
      server: { name, imageRef, flavorRef: '1', networks: 'none', availability_zone: 'far' },
    });
  };
  const routings = async (): Promise<string[]> =>
    (await cloud.central.cloud.central
      .db('tricircle_routings')
      .orderBy('id')
      .pluck('top_id')) as string[];
  const messageOf = (body: Json): string => (Object.values(body)[0] as { message: string }).message;

  before(() => cloud.start());
  after(() => cloud.stop());

  it('creates, attaches and lists servers and volumes, with links to the gateway', async () => {
    await nova('POST', '/flavors', {
      flavor: { name: 'there', ram: 64, vcpus: 1, disk: 1, id: 'there' },
    });
    const made = await newServer('a');
    expect(made.status, JSON.stringify(made.body)).to.equal(202);
    const { id } = made.body['server'] as { id: string };
    const volume = (
      await cinder('POST', '/volumes', { volume: { name: 'v', size: 1, availability_zone: 'far' } })
    ).body['volume'] as Json;
    expect(volume['availability_zone']).to.equal('far');
    const attached = await nova('POST', `/servers/${id}/os-volume_attachments`, {
      volumeAttachment: { volumeId: volume['id'] },
    });
    expect(attached.status, JSON.stringify(attached.body)).to.equal(200);
    const shown = (await nova('GET', `/servers/${id}`)).body['server'] as Json;
    expect(shown).to.include({ status: 'ACTIVE', 'OS-EXT-AZ:availability_zone': 'far' });
    for (const { href } of shown['links'] as { href: string }[])
      expect(href).to.match(/^http:\/\/127\.0\.0\.1:\d+\/CentralRegion\/compute\//);
    expect((await nova('GET', '/servers')).body['servers']).to.have.length(1);
    const there = await fetch(`${cloud.pod.origin}/compute/v2.1/flavors/there`, {
      headers: { 'x-auth-token': cloud.token },
    });
    expect(there.status).to.equal(200);
    const usages = (await ask('POST', '/tricircle/v1.0/usages', { usage: {} })).body;
    expect(JSON.stringify(usages)).to.contain('"vcpus_used":1');
  });

  it('gives a server a port of the central network, and takes it back', async () => {
    const neutron = (method: string, path: string, body?: unknown) =>
      ask(method, `/CentralRegion/network/v2.0${path}`, body);
    const network = (await neutron('POST', '/networks', { network: { name: 'own' } })).body[
      'network'
    ] as Json;
    const subnet = { network_id: network['id'], ip_version: 4, cidr: '10.30.0.0/24' };
    expect((await neutron('POST', '/subnets', { subnet })).status).to.equal(201);
    const { body } = await ask('GET', '/CentralRegion/image/v2/images');
    const made = await nova('POST', '/servers', {
      server: {
        name: 'n',
        imageRef: (body['images'] as { id: string }[])[0]!.id,
        flavorRef: '1',
        networks: [{ uuid: network['id'] }],
        availability_zone: 'far',
      },
    });
    expect(made.status, JSON.stringify(made.body)).to.equal(202);
    const { id } = made.body['server'] as { id: string };
    const ports = async (): Promise<Json[]> =>
      (await neutron('GET', `/ports?device_id=${id}`)).body['ports'] as Json[];
    const [port] = await ports();
    const portsThere = async (): Promise<Json[]> => {
      const reply = await fetch(`${cloud.pod.origin}/network/v2.0/ports?name=${port!['id']}`, {
        headers: { 'x-auth-token': cloud.token },
      });
      return ((await reply.json()) as Json)['ports'] as Json[];
    };
    const [there] = await portsThere();
    expect(there).to.include({ mac_address: port!['mac_address'], device_id: id });
    const shown = (await nova('GET', `/servers/${id}`)).body['server'] as Json;
    expect(Object.keys(shown['addresses'] as Json)).to.deep.equal(['own']);
    expect((await nova('DELETE', `/servers/${id}`)).status).to.equal(204);
    expect([await ports(), await portsThere()]).to.deep.equal([[], []]);
  });

  it('returns 401 from the pod for a token that its Keystone does not know', async () => {
    const reply = await fetch(`${cloud.pod.origin}/compute/v2.1/servers`, {
      headers: { 'x-auth-token': 'made-up' },
    });
    expect(reply.status).to.equal(401);
  });

  it('returns 503 and routes nothing while the pod is down, and recovers', async () => {
    const routedBefore = await routings();
    await cloud.pod.kill();
    for (const reply of [
      await nova('GET', `/servers/${routedBefore[0]}`),
      await nova('GET', '/servers'),
      await newServer('b'),
      await cinder('GET', '/volumes'),
    ]) {
      expect(reply.status).to.equal(503);
      expect(messageOf(reply.body)).to.equal(
        'The pod Far does not answer. Please try again later.',
      );
    }
    expect(await routings()).to.deep.equal(routedBefore);
    await cloud.startPod();
    expect((await nova('GET', `/servers/${routedBefore[0]}`)).status).to.equal(200);
    expect((await newServer('b')).status).to.equal(202);
  });

  it('returns 504 if the pod dies during a create, and finds the server later', async () => {
    const routedBefore = await routings();
    let killed: Promise<unknown> | undefined;
    cloud.proxy.dropsReplyTo = {
      request: 'POST /compute/v2.1/servers ',
      after: () => void (killed = cloud.pod.kill()),
    };
    const reply = await newServer('lost');
    expect(reply.status).to.equal(504);
    expect(messageOf(reply.body)).to.match(/^The pod Far went away before it had answered/);
    await killed;
    expect(await routings()).to.deep.equal(routedBefore);
    await cloud.startPod();
    const { servers } = (await nova('GET', '/servers/detail?name=lost')).body as {
      servers: { id: string; status: string }[];
    };
    expect(servers.map(({ status }) => status)).to.deep.equal(['ACTIVE']);
    expect(await routings()).to.deep.equal([...routedBefore, servers[0]!.id]);
    expect((await nova('DELETE', `/servers/${servers[0]!.id}`)).status).to.equal(204);
    expect((await nova('GET', `/servers/${servers[0]!.id}`)).status).to.equal(404);
  });
});
