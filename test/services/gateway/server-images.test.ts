// Tests of the images that servers make at the gateway: the central region has them, too.
import { expect } from 'chai';
import { SECOND } from '../../../src/kernel/clock.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import { admin, alice, bob, Tenancy, threePods, type Json, type Person } from './support.ts';

onEachDatabase('gateway: images of servers', threePods, (world) => {
  let cloud: Tenancy;
  let server: string;
  beforeEach(async () => {
    cloud = new Tenancy(world);
    server = (await cloud.server('s'))['id'] as string;
  });

  const glance = (method: string, path: string, as: Person = alice, at = 'CentralRegion') =>
    world.ask('image', method, `/${at}/image/v2/images${path}`, {
      token: as.token,
      headers: { 'x-roles': as.roles },
    });
  const act = (body: Json, version = '2.90') =>
    cloud.nova('POST', `/servers/${server}/action`, { body, version });
  const createImage = async (): Promise<string> => {
    const body = { createImage: { name: 'snap', metadata: { colour: 'red' } } };
    return ((await act(body).expect(202)).body as Json)['image_id'] as string;
  };
  const show = async (id: string, at = 'CentralRegion'): Promise<Json> =>
    (await glance('GET', `/${id}`, alice, at).expect(200)).body as Json;

  it('appear in the central region with the data and properties of the pod #tricircle-3', async () => {
    const id = await createImage();
    const image = await show(id);
    const times = ['created_at', 'updated_at'];
    const fields = Object.fromEntries(
      Object.entries(await show(id, 'Pod1')).filter(([name]) => !times.includes(name)),
    );
    expect(image).to.include({ status: 'active', owner: 'acme', colour: 'red', name: 'snap' });
    expect(image).to.deep.include(fields);
    const { body } = await glance('GET', `/${id}/file`).expect(200);
    expect((body as Buffer).length).to.equal(image['size']);
    const list = (await glance('GET', '').expect(200)).body as { images: Json[] };
    expect(list.images.map((one) => one['id'])).to.include(id);
  });

  it('have a Location in the central region before 2.45 #tricircle-3', async () => {
    const { headers } = await act({ createImage: { name: 'snap' } }, '2.1').expect(202);
    const location = (headers as Record<string, string>)['location']!;
    expect(location).to.contain('/CentralRegion/image/v2/images/');
    expect(await show(location.split('/').at(-1)!)).to.include({ name: 'snap' });
  });

  it('are not visible to another tenant', async () => {
    const id = await createImage();
    await glance('GET', `/${id}`, bob).expect(404);
  });

  it('boot a server in another pod #tricircle-3', async () => {
    const imageRef = await createImage();
    await cloud.pod('Pod1', { is_under_maintenance: true });
    const other = (await cloud.server('t', { imageRef }))['id'] as string;
    expect(await cloud.podOf(other)).to.equal('Pod2');
    expect((await cloud.show(other))['status']).to.equal('ACTIVE');
  });

  it('cannot be used after they were deleted in the central region', async () => {
    const imageRef = await createImage();
    await glance('DELETE', `/${imageRef}`).expect(204);
    const body = { server: { name: 't', imageRef, flavorRef: '1', networks: 'none' } };
    await cloud.nova('POST', '/servers', { body }).expect(400);
    await glance('GET', `/${imageRef}`, alice, 'Pod1').expect(404);
  });

  it('exist nowhere if the central region refuses them', async () => {
    await world.http
      .put('/_emulator/image/settings')
      .send({ region: 'CentralRegion', image_property_quota: 1 })
      .expect(200);
    await act({ createImage: { name: 'snap' } }).expect(413);
    for (const region of ['CentralRegion', 'Pod1']) {
      const { body } = await glance('GET', '?name=snap', alice, region).expect(200);
      expect((body as { images: Json[] }).images).to.deep.equal([]);
    }
  });

  it("of a tenant's server that an administrator makes are shared with the tenant", async () => {
    const body = { createImage: { name: 'snap' } };
    const reply = await cloud
      .nova('POST', `/servers/${server}/action`, { as: admin, body })
      .expect(202);
    const { image_id: id } = reply.body as { image_id: string };
    expect(await show(id)).to.include({ visibility: 'shared', status: 'active' });
  });

  it('are deleted with the backups that a rotation ends', async () => {
    const backup = async (): Promise<string> => {
      const body = { createBackup: { name: 'b', backup_type: 'daily', rotation: 1 } };
      return ((await act(body).expect(202)).body as Json)['image_id'] as string;
    };
    const first = await backup();
    const second = await backup();
    await glance('GET', `/${first}`).expect(404);
    expect(await show(second)).to.include({ status: 'active', backup_type: 'daily' });
  });

  it("ignores another tenant's image of the pod that names the server", async () => {
    const body = {
      name: 'planted',
      disk_format: 'raw',
      container_format: 'bare',
      instance_uuid: server,
    };
    const { id } = (
      await world
        .ask('image', 'POST', '/Pod1/image/v2/images', {
          token: bob.token,
          headers: { 'x-roles': bob.roles },
          body,
        })
        .expect(201)
    ).body as { id: string };
    await createImage();
    await glance('GET', `/${id}`, admin).expect(404);
  });
});

const latency = { 'server.createImage': 5 * SECOND };

onEachDatabase('gateway: images with latencies', { ...threePods, latency }, (world) => {
  const images = (region: string, method: string, path: string) =>
    world.ask('image', method, `/${region}/image/v2/images${path}`, {
      token: alice.token,
      headers: { 'x-roles': alice.roles },
    });
  let id: string;
  beforeEach(async () => {
    const cloud = new Tenancy(world);
    const server = (await cloud.server('s'))['id'] as string;
    const body = { createImage: { name: 'snap' } };
    const reply = await cloud.nova('POST', `/servers/${server}/action`, { body }).expect(202);
    id = (reply.body as { image_id: string }).image_id;
  });
  const advance = (seconds: number) =>
    world.http.post('/_emulator/clock/advance').send({ seconds }).expect(200);

  it('are queued until the pod has made them', async () => {
    const queued = (await images('CentralRegion', 'GET', `/${id}`).expect(200)).body as Json;
    expect(queued).to.include({ status: 'queued', size: null });
    await advance(60);
    const active = (await images('CentralRegion', 'GET', `/${id}`).expect(200)).body as Json;
    const inPod = (await images('Pod1', 'GET', `/${id}`).expect(200)).body as Json;
    expect(active).to.include({ status: 'active', checksum: inPod['checksum'] });
  });

  it('are deleted if the pod deletes them before', async () => {
    await images('Pod1', 'DELETE', `/${id}`).expect(204);
    await advance(60);
    await images('CentralRegion', 'GET', `/${id}`).expect(404);
  });
});
