// Tests of the copies of central images in pods: they follow all changes of the images, so that no
// tenant notices them.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { faultsOf } from '../../emulator/fault-injection/support.ts';
import { Glance } from './glance.ts';
import { admin, alice, bob, messageOf, Tenancy, threePods, type Json } from './support.ts';

onEachDatabase('gateway: copies of images', threePods, (world) => {
  const faults = faultsOf(world);
  let cloud: Tenancy;
  let glance: Glance;
  beforeEach(() => {
    cloud = new Tenancy(world);
    glance = new Glance(world);
  });
  afterEach(() => faults.clear());

  const boot = (imageRef: string, as = alice) =>
    cloud.nova('POST', '/servers', {
      as,
      body: { server: { name: 's', imageRef, flavorRef: '1', networks: 'none' } },
    });

  /** Creates an image that Pod1 has a copy of. */
  async function copied(fields: Json = {}): Promise<string> {
    const id = await glance.create(fields);
    await boot(id).expect(202);
    return id;
  }

  it('have the properties and tags of the image #tricircle-3', async () => {
    const fields = { name: 'own', min_ram: 1, os_version: '12', 'hw/x~y': 'z', tags: ['a', 'b'] };
    const id = await copied(fields);
    expect(await glance.inPod('Pod1', id)).to.deep.include({ ...fields, owner: 'acme' });
    expect(await glance.routings(id)).to.deep.equal(['Pod1']);
  });

  it("give volumes the image's metadata", async () => {
    const id = await glance.create({ name: 'own', os_version: '12' });
    const volume = await cloud.volume('v', { imageRef: id });
    const { body } = await cloud.cinder('GET', `/volumes/${volume['id']}`).expect(200);
    expect((body as Json)['volume']['volume_image_metadata']).to.include({
      image_name: 'own',
      os_version: '12',
    });
  });

  it('follow changes of fields and properties #tricircle-3', async () => {
    const id = await copied({ os_version: '12', os_distro: 'x', tags: ['a'] });
    const changes = { name: 'new', min_disk: 1, min_ram: 2, protected: true, os_hidden: true };
    await glance.change(id, { ...changes, os_version: '13', os_distro: undefined, kernel: '6' });
    await glance.ask('PUT', `/${id}/tags/b`).expect(204);
    await glance.ask('DELETE', `/${id}/tags/a`).expect(204);
    const copy = (await glance.inPod('Pod1', id))!;
    expect(copy).to.deep.include({ ...changes, os_version: '13', kernel: '6', tags: ['b'] });
    expect(copy).not.to.have.property('os_distro');
  });

  it('refuse a flavor that has become too small for the image', async () => {
    const id = await copied();
    await glance.change(id, { min_ram: 100_000 });
    const { body } = await boot(id).expect(400);
    expect(messageOf(body)).to.equal("Flavor's memory is too small for requested image.");
  });

  it('are deleted with a protected image', async () => {
    const id = await copied({ protected: true });
    expect(await glance.inPod('Pod1', id)).to.include({ protected: true });
    await glance.change(id, { protected: false });
    await glance.ask('DELETE', `/${id}`).expect(204);
    expect(await glance.inPod('Pod1', id)).to.equal(undefined);
    expect(await glance.routings(id)).to.deep.equal([]);
  });

  it('are deleted in each pod, and later in a pod that is down', async () => {
    const id = await copied();
    await cloud.pod('Pod1', { is_under_maintenance: true });
    await boot(id).expect(202);
    expect(await glance.routings(id)).to.deep.equal(['Pod1', 'Pod2']);
    await faults.add({
      match: { service: 'image', inside: true, region: 'Pod1' },
      effect: { status: 503 },
    });
    await glance.ask('DELETE', `/${id}`).expect(204);
    expect(await glance.routings(id)).to.deep.equal(['Pod1']);
    await boot(id).expect(400);
    await faults.clear();
    await world.setTime('2026-11-21T12:00:00Z');
    expect(await glance.routings(id)).to.deep.equal([]);
    expect(await glance.inPod('Pod1', id)).to.equal(undefined);
  });

  it('do not boot servers or volumes of the owner after the image was deleted', async () => {
    const id = await copied();
    await faults.add({
      match: { service: 'image', inside: true, region: 'Pod1' },
      effect: { status: 503 },
    });
    await glance.ask('DELETE', `/${id}`).expect(204);
    const { body } = await boot(id).expect(400);
    expect(messageOf(body)).to.equal('Can not find requested image');
    const volume = { size: 1, imageRef: id };
    await cloud.cinder('POST', '/volumes', { body: { volume } }).expect(400);
  });

  it('are deactivated and reactivated with the image', async () => {
    const id = await copied();
    const server = await cloud.server('s', { imageRef: id });
    await glance.ask('POST', `/${id}/actions/deactivate`, { as: admin }).expect(204);
    expect(await glance.inPod('Pod1', id)).to.include({ status: 'deactivated' });
    expect(messageOf((await boot(id).expect(400)).body)).to.equal(`Image ${id} is not active.`);
    const volume = { size: 1, imageRef: id };
    const { body } = await cloud.cinder('POST', '/volumes', { body: { volume } }).expect(400);
    expect(messageOf(body)).to.equal(`Invalid input received: Image ${id} is not active.`);
    const rebuild = { rebuild: { imageRef: id } };
    const action = { body: rebuild };
    const refused = await cloud.nova('POST', `/servers/${server['id']}/action`, action).expect(400);
    expect(messageOf(refused.body)).to.equal(`Image ${id} is not active.`);
    await glance.ask('POST', `/${id}/actions/reactivate`, { as: admin }).expect(204);
    await boot(id).expect(202);
    expect(await glance.inPod('Pod1', id)).to.include({ status: 'active' });
  });

  it('boot servers of the projects that share the image, until they no longer do', async () => {
    const id = await copied();
    await boot(id, bob).expect(400);
    await glance.ask('POST', `/${id}/members`, { body: { member: 'bolts' } }).expect(200);
    await boot(id, bob).expect(202);
    expect(await glance.inPod('Pod1', id, bob)).to.include({ id });
    await glance.ask('DELETE', `/${id}/members/bolts`).expect(204);
    await boot(id, bob).expect(400);
    expect(await glance.inPod('Pod1', id, bob)).to.equal(undefined);
  });

  it('are shared from the start if the image is', async () => {
    const id = await glance.create();
    await glance.ask('POST', `/${id}/members`, { body: { member: 'bolts' } }).expect(200);
    await boot(id, bob).expect(202);
  });

  it('get the new owner of the image', async () => {
    const id = await copied();
    await glance.change(id, { owner: 'bolts' }, admin);
    expect(await glance.inPod('Pod1', id)).to.include({ owner: 'bolts' });
    await boot(id, bob).expect(202);
    await boot(id).expect(400);
  });

  it('do not stay if the image is deleted while it is copied', async () => {
    const id = await glance.create();
    await faults.add({
      match: { service: 'image', inside: true, region: 'Pod1', operation: 'image_data:create' },
      effect: { status: 503 },
      count: 1,
    });
    await boot(id);
    await glance.ask('DELETE', `/${id}`).expect(204);
    expect(await glance.inPod('Pod1', id)).to.equal(undefined);
    expect(await glance.routings(id)).to.deep.equal([]);
  });
});
