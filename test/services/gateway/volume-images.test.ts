// Tests of the images that volumes make at the gateway: the central region has them, too.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { faultsOf } from '../../emulator/fault-injection/support.ts';
import { Glance } from './glance.ts';
import { admin, bob, Tenancy, threePods, type Json } from './support.ts';

onEachDatabase('gateway: images of volumes', threePods, (world) => {
  const faults = faultsOf(world);
  let cloud: Tenancy;
  let glance: Glance;
  let volume: string;
  beforeEach(async () => {
    cloud = new Tenancy(world);
    glance = new Glance(world);
    volume = (await cloud.volume('v', { imageRef: await cloud.image() }))['id'] as string;
  });
  afterEach(() => faults.clear());

  const upload = (fields: Json = {}, options: Json = {}) =>
    cloud.cinder('POST', `/volumes/${volume}/action`, {
      body: { 'os-volume_upload_image': { image_name: 'disk', ...fields } },
      ...options,
    });
  const makeImage = async (fields: Json = {}, options: Json = {}): Promise<string> =>
    ((await upload(fields, options).expect(202)).body as Json)['os-volume_upload_image'][
      'image_id'
    ] as string;
  const named = async (name: string): Promise<Json[]> =>
    ((await glance.ask('GET', `?name=${name}`).expect(200)).body as { images: Json[] }).images;

  it('appear in the central region with the data and properties of the pod #tricircle-3', async () => {
    await cloud
      .cinder('POST', `/volumes/${volume}/action`, {
        body: { 'os-set_image_metadata': { metadata: { os_version: '12' } } },
      })
      .expect(200);
    const id = await makeImage({ disk_format: 'qcow2' });
    const times = ['created_at', 'updated_at'];
    const inPod = Object.fromEntries(
      Object.entries((await glance.inPod('Pod1', id))!).filter(([name]) => !times.includes(name)),
    );
    const image = await glance.show(id);
    expect(image).to.deep.include(inPod);
    expect(image).to.include({ status: 'active', owner: 'acme', os_version: '12', min_disk: 1 });
    expect(await glance.routings(id)).to.deep.equal(['Pod1']);
    await glance.ask('GET', `/${id}`, { as: bob }).expect(404);
  });

  it('boot a server in another pod #tricircle-3', async () => {
    const imageRef = await makeImage();
    await cloud.pod('Pod1', { is_under_maintenance: true });
    const server = (await cloud.server('t', { imageRef }))['id'] as string;
    expect(await cloud.podOf(server)).to.equal('Pod2');
    expect((await cloud.show(server))['status']).to.equal('ACTIVE');
    expect(await glance.routings(imageRef)).to.deep.equal(['Pod1', 'Pod2']);
    const { checksum } = await glance.show(imageRef);
    expect(await glance.inPod('Pod2', imageRef)).to.include({ size: 1024 ** 3, checksum });
  });

  it('make a volume in another pod #tricircle-3', async () => {
    const imageRef = await makeImage();
    await cloud.pod('Pod1', { is_under_maintenance: true });
    const other = (await cloud.volume('w', { imageRef }))['id'] as string;
    expect(await cloud.podOf(other)).to.equal('Pod2');
    const { body } = await cloud.cinder('GET', `/volumes/${other}`).expect(200);
    expect((body as Json)['volume']).to.include({ status: 'available', bootable: 'true' });
  });

  it('have the visibility and the protection of the request', async () => {
    const id = await makeImage({ visibility: 'shared', protected: true });
    expect(await glance.show(id)).to.include({ visibility: 'shared', protected: true });
    const body = { image_name: 'x', visibility: 'public' };
    const open = await makeImage(body, { as: admin });
    expect(await glance.show(open)).to.include({ visibility: 'public', owner: 'acme' });
  });

  it('are deleted in the pod with the central image', async () => {
    const id = await makeImage();
    await glance.ask('DELETE', `/${id}`).expect(204);
    expect(await glance.inPod('Pod1', id)).to.equal(undefined);
  });

  it("are refused in the pod's words, and made nowhere", async () => {
    await upload({ disk_format: 'floppy' }).expect(400);
    await upload({}, { as: bob }).expect(404);
    expect(await named('disk')).to.deep.equal([]);
  });

  it('exist nowhere if the central region refuses them', async () => {
    await world.http
      .put('/_emulator/image/settings')
      .send({ region: 'CentralRegion', image_size_cap: 1000 })
      .expect(200);
    await upload().expect(413);
    expect(await named('disk')).to.deep.equal([]);
    const { body } = await glance.ask('GET', '?name=disk', { as: admin, at: 'Pod1' }).expect(200);
    expect((body as { images: Json[] }).images).to.deep.equal([]);
  });

  it("appear after the pod's reply was lost, beside older images of that name", async () => {
    const older = await glance.create({ name: 'disk' });
    await cloud.server('s', { imageRef: older });
    const own = { name: 'disk', disk_format: 'raw', container_format: 'bare' };
    await glance.ask('POST', '', { at: 'Pod1', body: own }).expect(201);
    await faults.add({
      match: { service: 'volume', inside: true, region: 'Pod1', operation: 'volumes:act' },
      effect: { drop: true, when: 'after' },
    });
    await upload().expect(504);
    await faults.clear();
    expect(await named('disk')).to.have.length(1);
    await world.setTime('2026-11-20T12:02:00Z');
    const images = await named('disk');
    expect(images.map(({ status }) => status)).to.deep.equal(['active', 'active']);
    expect(images.filter(({ id }) => id !== older)[0]).to.include({ min_disk: 1 });
  });
});
