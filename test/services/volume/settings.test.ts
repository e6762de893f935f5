// Tests of the settings of Volume, which upstream reads from cinder.conf.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, createSnapshot, createVolume, messageOf } from './support.ts';

onEachDatabase('settings of Volume', { auth: 'noauth2' }, (world) => {
  const set = (settings: object) =>
    world.http.put('/_emulator/volume/settings').send(settings).expect(200);
  const create = (fields: object) =>
    ask(world, 'alice', 'POST', '/volumes', { body: { volume: { size: 1, ...fields } } });

  it('osapi_max_limit is the size of the pages of all lists', async () => {
    await set({ osapi_max_limit: 2 });
    const ids = [];
    for (let count = 0; count < 3; count++) ids.push(await createVolume(world, 'alice'));
    for (const id of ids) await createSnapshot(world, 'alice', id);
    for (const list of ['volumes', 'snapshots'])
      for (const query of ['', '?limit=100']) {
        const { body } = await ask(world, 'alice', 'GET', `/${list}${query}`).expect(200);
        expect(body[list], list).to.have.length(2);
        const [next] = body[`${list}_links`] as { href: string }[];
        const path = next!.href.replace(/^.*\/v3/, '');
        const rest = (await ask(world, 'alice', 'GET', path).expect(200)).body;
        expect(rest[list], path).to.have.length(1);
        expect(rest).to.not.have.property(`${list}_links`);
      }
  });

  it('quota_volumes and the others are the limits of projects without a quota', async () => {
    await set({ quota_volumes: 1, quota_gigabytes: 5, quota_snapshots: -1, quota_backups: 3 });
    const { absolute } = (await ask(world, 'alice', 'GET', '/limits').expect(200)).body.limits;
    expect(absolute).to.include({
      maxTotalVolumes: 1,
      maxTotalVolumeGigabytes: 5,
      maxTotalSnapshots: -1,
      maxTotalBackups: 3,
    });
    expect(messageOf(await create({ size: 6 }).expect(413))).to.contain('quota is 5G');
    await create({}).expect(202);
    expect(messageOf(await create({}).expect(413))).to.contain(
      "Maximum number of volumes allowed (1) exceeded for quota 'volumes'",
    );
    await set({ quota_volumes: -1 });
    await create({}).expect(202);
  });

  it('per_volume_size_limit is the largest volume', async () => {
    await set({ per_volume_size_limit: 2 });
    await create({ size: 2 }).expect(202);
    expect(messageOf(await create({ size: 3 }).expect(413))).to.contain(
      'larger than maximum allowed limit 2G',
    );
  });

  it('allow_availability_zone_fallback creates a volume of an unknown zone in the zone', async () => {
    expect(messageOf(await create({ availability_zone: 'mars' }).expect(400))).to.contain(
      "Availability zone 'mars' is invalid.",
    );
    await set({ allow_availability_zone_fallback: true });
    const { body } = await create({ availability_zone: 'mars' }).expect(202);
    expect(body.volume.availability_zone).to.equal('nova');
  });

  it('no_snapshot_gb_quota leaves snapshots out of the gigabytes', async () => {
    await set({ quota_gigabytes: 3 });
    const id = await createVolume(world, 'alice', { size: 2 });
    const used = async (): Promise<number> =>
      (await ask(world, 'alice', 'GET', '/limits').expect(200)).body.limits.absolute
        .totalGigabytesUsed;
    const snapshot = { snapshot: { volume_id: id } };
    await ask(world, 'alice', 'POST', '/snapshots', { body: snapshot }).expect(413);
    await set({ no_snapshot_gb_quota: true });
    await ask(world, 'alice', 'POST', '/snapshots', { body: snapshot }).expect(202);
    expect(await used()).to.equal(2);
    await set({ no_snapshot_gb_quota: false });
    expect(await used()).to.equal(4);
  });

  it('the quota class `default` takes precedence', async () => {
    await ask(world, 'admin', 'PUT', '/os-quota-class-sets/default', {
      body: { quota_class_set: { volumes: 4 } },
    }).expect(200);
    await set({ quota_volumes: 1 });
    const { absolute } = (await ask(world, 'alice', 'GET', '/limits').expect(200)).body.limits;
    expect(absolute).to.include({ maxTotalVolumes: 4 });
  });
});
