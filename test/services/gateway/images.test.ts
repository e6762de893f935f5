// Tests of which images of a pod the gateways use: copies of what the caller sees in the central
// region, and the images of the caller's project, but never another tenant's.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { admin, alice, bob, messageOf, Tenancy, threePods, type Person } from './support.ts';

onEachDatabase('gateway: images', threePods, (world) => {
  let cloud: Tenancy;
  beforeEach(() => (cloud = new Tenancy(world)));

  const glance = (
    region: string,
    method: string,
    path: string,
    { token, roles }: Person,
    body?: unknown,
    mediaType?: string,
  ) =>
    world.ask('image', method, `/${region}/image/v2/images${path}`, {
      token,
      headers: { 'x-roles': roles, ...(mediaType ? { 'content-type': mediaType } : {}) },
      body,
    });

  interface ImageFields {
    readonly id?: string;
    readonly name?: string;
    readonly visibility?: string;
  }

  /** Creates an image with data. @returns its id */
  async function createImage(
    region: string,
    owner: Person,
    fields: ImageFields = {},
    data = 'central',
  ): Promise<string> {
    const body = { disk_format: 'raw', container_format: 'bare', ...fields };
    const { id } = (await glance(region, 'POST', '', owner, body).expect(201)).body as {
      id: string;
    };
    const mediaType = 'application/octet-stream';
    await glance(region, 'PUT', `/${id}/file`, owner, data, mediaType).expect(204);
    return id;
  }

  const changeVisibility = (region: string, id: string, visibility: string) =>
    glance(
      region,
      'PATCH',
      `/${id}`,
      admin,
      [{ op: 'replace', path: '/visibility', value: visibility }],
      'application/openstack-images-v2.1-json-patch',
    ).expect(200);

  const boot = (imageRef: string, as = alice) =>
    cloud.nova('POST', '/servers', {
      as,
      body: { server: { name: 's', imageRef, flavorRef: '1', networks: 'none' } },
    });
  const createVolume = (imageRef: string, as = alice) =>
    cloud.cinder('POST', '/volumes', { as, body: { volume: { size: 1, imageRef } } });

  describe("another tenant's image in the pod with the id of a central one", () => {
    let id: string;
    beforeEach(async () => {
      id = await createImage('CentralRegion', admin, { visibility: 'public' });
      await createImage('Pod1', bob, { id, visibility: 'community' }, 'planted');
    });

    it('POST /servers returns 409', async () => {
      const { body } = await boot(id).expect(409);
      expect(messageOf(body)).to.contain('is not a copy');
    });

    it('POST /servers returns 409 for a block device', async () => {
      const device = {
        uuid: id,
        source_type: 'image',
        destination_type: 'volume',
        volume_size: 1,
        boot_index: 0,
      };
      const server = {
        name: 's',
        flavorRef: '1',
        networks: 'none',
        block_device_mapping_v2: [device],
      };
      await cloud.nova('POST', '/servers', { body: { server } }).expect(409);
    });

    it('POST /volumes returns 409', async () => {
      await createVolume(id).expect(409);
    });

    for (const [action, body] of Object.entries({
      rebuild: (imageRef: string) => ({ rebuild: { imageRef } }),
      rescue: (imageRef: string) => ({ rescue: { rescue_image_ref: imageRef } }),
    }))
      it(`POST /servers/{id}/action returns 409 for ${action}`, async () => {
        const imageRef = await createImage('CentralRegion', alice);
        const server = await cloud.server('s', { imageRef });
        await cloud.nova('POST', `/servers/${server['id']}/action`, { body: body(id) }).expect(409);
      });

    it('POST /volumes/{id}/action returns 409 for os-reimage', async () => {
      const volume = await cloud.volume('v');
      await cloud
        .cinder('POST', `/volumes/${volume['id']}/action`, {
          body: { 'os-reimage': { image_id: id } },
        })
        .expect(409);
    });
  });

  it("returns 409 for another tenant's image with the same data", async () => {
    const id = await createImage('CentralRegion', admin, { visibility: 'public' });
    await createImage('Pod1', bob, { id, visibility: 'community' });
    await boot(id).expect(409);
  });

  it('uses the copy of an earlier request', async () => {
    const id = await createImage('CentralRegion', admin, { visibility: 'public' });
    await boot(id).expect(202);
    await boot(id).expect(202);
  });

  it('changes the visibility of the copy with that of the image', async () => {
    const id = await createImage('CentralRegion', alice);
    await boot(id).expect(202);
    await changeVisibility('CentralRegion', id, 'public');
    await boot(id, bob).expect(202);
    const { body } = await glance('Pod1', 'GET', `/${id}`, bob).expect(200);
    expect(body).to.include({ visibility: 'public', owner: 'acme' });
  });

  describe('an image that the caller no longer sees in the central region', () => {
    let id: string;
    beforeEach(async () => {
      id = await createImage('CentralRegion', admin, { visibility: 'public' });
      await boot(id).expect(202);
    });

    it('POST /servers returns 400 after it became private, although the pod has a copy', async () => {
      await changeVisibility('CentralRegion', id, 'private');
      const { body } = await boot(id).expect(400);
      expect(messageOf(body)).to.equal('Can not find requested image');
    });

    it('POST /servers and POST /volumes return 400 after it was deleted', async () => {
      await glance('CentralRegion', 'DELETE', `/${id}`, admin).expect(204);
      await boot(id).expect(400);
      const { body } = await createVolume(id).expect(400);
      expect(messageOf(body)).to.equal(
        'Invalid image identifier or unable to access requested image.',
      );
    });
  });

  it("boots the caller's own image of the pod", async () => {
    const id = await createImage('Pod1', alice);
    await boot(id).expect(202);
  });

  it("returns 400 for another tenant's image of the pod", async () => {
    const id = await createImage('Pod1', bob, { visibility: 'community' });
    await boot(id).expect(400);
  });

  describe('POST /volumes with the name of an image', () => {
    it('uses the image of the central region', async () => {
      const id = await createImage('CentralRegion', admin, { name: 'base', visibility: 'public' });
      await createImage('Pod1', bob, { name: 'base', visibility: 'community' }, 'planted');
      const { body } = await createVolume('base').expect(202);
      const path = `/volumes/${(body as { volume: { id: string } }).volume.id}`;
      const shown = (await cloud.cinder('GET', path).expect(200)).body as {
        volume: { volume_image_metadata: { image_id: string } };
      };
      expect(shown.volume.volume_image_metadata.image_id).to.equal(id);
    });

    it('returns 400 for a name that only the pod knows', async () => {
      await createImage('Pod1', bob, { name: 'base', visibility: 'community' });
      await createVolume('base').expect(400);
    });

    it('returns 409 for the name of two images', async () => {
      const image = { name: 'base', visibility: 'public' };
      await createImage('CentralRegion', admin, image);
      await createImage('CentralRegion', admin, image);
      await createVolume('base').expect(409);
    });
  });
});
