// Tests of quotas over all pods: what exceeds the sum is refused before a pod gets the request.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { admin, alice, messageOf, Tenancy, threePods, type Json } from './support.ts';

onEachDatabase('gateway: quotas over all pods', threePods, (world) => {
  let cloud: Tenancy;
  beforeEach(async () => {
    cloud = new Tenancy(world);
    await cloud.cad();
  });

  const setNova = (quota_set: Json, query = '') =>
    cloud
      .nova('PUT', `/os-quota-sets/acme${query}`, { as: admin, body: { quota_set } })
      .expect(200);
  const setCinder = (quota_set: Json) =>
    cloud.cinder('PUT', '/os-quota-sets/acme', { as: admin, body: { quota_set } }).expect(200);
  const boot = async (fields: Json = {}) =>
    cloud.nova('POST', '/servers', {
      body: {
        server: {
          name: 's',
          imageRef: await cloud.image(),
          flavorRef: '1',
          networks: 'none',
          ...fields,
        },
      },
    });
  const createVolume = (fields: Json) =>
    cloud.cinder('POST', '/volumes', { body: { volume: { name: 'v', ...fields } } });
  const serversIn = async (at: string): Promise<number> =>
    ((await cloud.nova('GET', '/servers', { at })).body as { servers: unknown[] }).servers.length;
  const reservations = async (): Promise<number> =>
    (await world.cloud.central.db('tricircle_quota_reservations').select('id')).length;

  describe('POST /servers', () => {
    it('returns 403 for a server beyond the instances of all pods, and creates nothing', async () => {
      await setNova({ instances: 2 });
      await cloud.server('a');
      await cloud.server('b', { flavorRef: 'cad' });
      const refused = await boot({ flavorRef: 'cad' });
      expect(refused.status).to.equal(403);
      expect(messageOf(refused.body)).to.equal(
        'Quota exceeded for instances: Requested 1, but already used 2 of 2 instances',
      );
      expect(await serversIn('Pod4')).to.equal(1);
      expect(await reservations()).to.equal(0);
    });

    it('returns 403 for more ram than the flavor of another pod has left', async () => {
      await setNova({ ram: 1000 });
      await cloud.server('a');
      const { status, body } = await boot({ flavorRef: 'cad' });
      expect(status).to.equal(403);
      expect(messageOf(body)).to.equal(
        'Quota exceeded for ram: Requested 512, but already used 512 of 1000 ram',
      );
    });

    it('creates as many servers as the quota allows, between min_count and max_count', async () => {
      await setNova({ instances: 3 });
      await cloud.server('a', { flavorRef: 'cad' });
      expect((await boot({ min_count: 1, max_count: 5 })).status).to.equal(202);
      expect(await serversIn('CentralRegion')).to.equal(3);
    });

    it('returns 403 for the quota of a user', async () => {
      await setNova({ instances: 1 }, '?user_id=alice');
      await cloud.server('a');
      expect((await boot({ flavorRef: 'cad' })).status).to.equal(403);
    });

    it('creates a server again after another one was deleted', async () => {
      await setNova({ instances: 1 });
      const { id } = await cloud.server('a');
      expect((await boot({ flavorRef: 'cad' })).status).to.equal(403);
      await cloud.nova('DELETE', `/servers/${id}`).expect(204);
      expect((await boot({ flavorRef: 'cad' })).status).to.equal(202);
    });

    it('creates a server although a process died with a reservation', async () => {
      await setNova({ instances: 1 });
      await world.cloud.central.db('tricircle_quota_reservations').insert({
        project_id: 'acme',
        user_id: 'alice',
        service: 'compute',
        amounts: JSON.stringify({ instances: 1 }),
        reserved_at: 0,
      });
      expect((await boot()).status).to.equal(202);
      expect(await reservations()).to.equal(0);
    });
  });

  it('POST /servers returns 403 for a new boot volume beyond the volumes of all pods', async () => {
    await setCinder({ volumes: 1 });
    await cloud.volume('a', { volume_type: 'cad-vol' });
    const device = {
      uuid: await cloud.image(),
      source_type: 'image',
      destination_type: 'volume',
      volume_size: 1,
      boot_index: 0,
    };
    const refused = await boot({ block_device_mapping_v2: [device], imageRef: '' });
    expect(refused.status).to.equal(403);
    expect(messageOf(refused.body)).to.equal(
      "Maximum number of volumes allowed (1) exceeded for quota 'volumes'.",
    );
    expect(await serversIn('Pod1')).to.equal(0);
  });

  describe('PUT /os-quota-sets/{project_id}', () => {
    beforeEach(async () => {
      await cloud.server('a');
      await cloud.server('b', { flavorRef: 'cad' });
      await cloud.volume('a');
      await cloud.volume('b', { volume_type: 'cad-vol' });
    });
    const put = (send: Tenancy['nova'], quota_set: Json, as = admin) =>
      send('PUT', '/os-quota-sets/acme', { as, body: { quota_set } });

    it("returns 400 for a limit of Nova's below the usage of all pods, without force", async () => {
      const { body } = await put(cloud.nova, { instances: 1 }).expect(400);
      expect(messageOf(body)).to.equal(
        'Quota limit 1 for instances must be greater than or equal to already used and reserved 2.',
      );
      await put(cloud.nova, { instances: 2 }).expect(200);
      await put(cloud.nova, { instances: 1, force: true }).expect(200);
    });

    it("returns 400 for a limit of Cinder's below the usage of all pods", async () => {
      const { body } = await put(cloud.cinder, { volumes: 1 }).expect(400);
      expect(messageOf(body)).to.match(/^Quota volumes limit must be equal or greater than/);
      await put(cloud.cinder, { volumes: 2 }).expect(200);
    });

    it('returns 403 to a tenant', async () => {
      await put(cloud.nova, { instances: 1 }, alice).expect(403);
      await put(cloud.cinder, { volumes: 1 }, alice).expect(403);
    });
  });

  it('POST /servers/{id}/action returns 403 for a resize beyond the cores of all pods', async () => {
    await setNova({ cores: 2 });
    const { id } = await cloud.server('a');
    await cloud.server('b', { flavorRef: 'cad' });
    const body = { resize: { flavorRef: '3' } };
    const refused = await cloud.nova('POST', `/servers/${id}/action`, { body }).expect(403);
    expect(messageOf(refused.body)).to.equal(
      'Quota exceeded for cores: Requested 1, but already used 2 of 2 cores',
    );
    expect((await cloud.show(id as string))['status']).to.equal('ACTIVE');
  });

  it('POST /os-server-groups returns 403 beyond the groups of all pods', async () => {
    await setNova({ server_groups: 1 });
    const body = { server_group: { name: 'g', policy: 'affinity' } };
    await cloud.nova('POST', '/os-server-groups', { body }).expect(200);
    await cloud.pod('Pod1', { is_under_maintenance: true });
    const refused = await cloud.nova('POST', '/os-server-groups', { body }).expect(403);
    expect(messageOf(refused.body)).to.equal('Quota exceeded, too many server groups.');
  });

  describe('POST /volumes', () => {
    it('returns 413 beyond the volumes of all pods', async () => {
      await setCinder({ volumes: 2 });
      await cloud.volume('a');
      await cloud.volume('b', { volume_type: 'cad-vol' });
      const refused = await createVolume({ size: 1, volume_type: 'cad-vol' }).expect(413);
      expect(messageOf(refused.body)).to.equal(
        "Maximum number of volumes allowed (2) exceeded for quota 'volumes'.",
      );
    });

    it('returns 413 for a clone beyond the gigabytes of all pods', async () => {
      await setCinder({ gigabytes: 6 });
      const { id } = await cloud.volume('a', { size: 3 });
      await cloud.volume('b', { size: 2, volume_type: 'cad-vol' });
      await createVolume({ source_volid: id }).expect(413);
    });
  });

  it('POST /snapshots returns 413 beyond the snapshots of all pods', async () => {
    await setCinder({ snapshots: 1 });
    const ids = [await cloud.volume('a'), await cloud.volume('b', { volume_type: 'cad-vol' })].map(
      ({ id }) => id as string,
    );
    const snap = (volume_id: string) =>
      cloud.cinder('POST', '/snapshots', { body: { snapshot: { volume_id } } });
    await snap(ids[0]!).expect(202);
    await snap(ids[1]!).expect(413);
  });

  it('POST /volumes/{id}/action returns 413 for an extension beyond the gigabytes of all pods', async () => {
    await setCinder({ gigabytes: 4 });
    const { id } = await cloud.volume('a', { size: 1 });
    await cloud.volume('b', { size: 2, volume_type: 'cad-vol' });
    const extend = (new_size: number) =>
      cloud.cinder('POST', `/volumes/${id}/action`, { body: { 'os-extend': { new_size } } });
    await extend(3).expect(413);
    await extend(2).expect(202);
  });

  it('creates as many servers as the quota allows at the same time', async () => {
    await setNova({ instances: 3 });
    const flavors = ['1', 'cad', '1', 'cad', '1', 'cad'];
    const replies = await Promise.all(flavors.map((flavorRef) => boot({ flavorRef })));
    const created = replies.filter(({ status }) => status === 202);
    expect(created).to.have.length(3);
    for (const { status, body } of replies)
      if (status !== 202)
        expect(messageOf(body)).to.match(/^Quota exceeded for instances: Requested 1/);
  });
});
