// Tests of the disks and the files of new servers.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, config, expectFault, flavorOf } from '../support.ts';
import { admin, imageId, madeServer, postServer, type Shown } from '../servers/makers.ts';

onEachDatabase('compute: disks and files of new servers', config, (world) => {
  const flavor = async (fields: object): Promise<string> =>
    (
      (await ask(world, 'POST', '/flavors', { body: flavorOf({ disk: 1, ...fields }) }).expect(200))
        .body as { flavor: Shown }
    ).flavor.id;
  const rootDisk = {
    source_type: 'image',
    uuid: imageId,
    destination_type: 'local',
    boot_index: 0,
  };
  const blank = (fields: object) => ({
    source_type: 'blank',
    destination_type: 'local',
    boot_index: -1,
    ...fields,
  });
  const request = (flavorRef: string, ...disks: object[]) =>
    postServer(world, { flavorRef, block_device_mapping_v2: [rootDisk, ...disks] });

  it('returns 400 for swap and ephemeral disks larger than those of the flavor', async () => {
    const flavorRef = await flavor({ name: 'f1', swap: 512, 'OS-FLV-EXT-DATA:ephemeral': 4 });
    const swap = (volume_size: number) => blank({ guest_format: 'swap', volume_size });
    expect((await request(flavorRef, swap(512), blank({ volume_size: 4 }))).status).to.equal(202);
    expectFault(
      await request(flavorRef, swap(513)),
      400,
      'Swap drive requested is larger than instance type allows.',
    );
    const ephemeral = /^Ephemeral disks requested are larger than the instance type allows\./;
    expectFault(await request(flavorRef, blank({ volume_size: 5 })), 400, ephemeral);
    expectFault(await request(flavorRef, blank({}), blank({ volume_size: 1 })), 400, ephemeral);
    expectFault(
      await request('1', swap(1)),
      400,
      'Swap drive requested is larger than instance type allows.',
    );
  });

  it('returns 400 for several swap disks, and for too many local disks', async () => {
    const flavorRef = await flavor({ name: 'f1', swap: 512, 'OS-FLV-EXT-DATA:ephemeral': 4 });
    const swap = (volume_size: number) => blank({ guest_format: 'swap', volume_size });
    const invalid = (details: string) => `Block Device Mapping is Invalid: ${details}`;
    expectFault(
      await request(flavorRef, swap(1), swap(1)),
      400,
      invalid('More than one swap drive requested.'),
    );
    const many = [1, 1, 1].map((volume_size) => blank({ volume_size }));
    expectFault(
      await request(flavorRef, ...many),
      400,
      invalid('You specified more local devices than the limit allows'),
    );
  });

  const onVolume = {
    source_type: 'blank',
    destination_type: 'volume',
    volume_size: 1,
    boot_index: -1,
  };

  it('returns 400 for an unknown disk bus', async () => {
    expectFault(
      await request('1', { ...onVolume, disk_bus: 'odd' }),
      400,
      'Block Device Mapping is Invalid.',
    );
    expect((await request('1', { ...onVolume, disk_bus: 'scsi' })).status).to.equal(202);
  });

  it('returns 400 for an unknown volume type, and for a volume type of a local disk', async () => {
    expectFault(
      await request('1', { ...onVolume, volume_type: 'odd' }),
      400,
      'Volume type odd could not be found.',
    );
    expectFault(
      await request('1', { ...blank({}), volume_type: 'lvmdriver-1' }),
      400,
      'Block Device Mapping is Invalid: ' +
        'Specifying a volume_type with destination_type=local is not supported.',
    );
  });

  it('returns 400 for a volume with several servers, and for one on the root device', async () => {
    const reply = await world.ask('volume', 'POST', '/volume/v3/demo/volumes', {
      ...admin,
      body: { volume: { size: 1 } },
    });
    const uuid = (reply.body as { volume: Shown }).volume.id;
    const existing = { source_type: 'volume', uuid, destination_type: 'volume', boot_index: -1 };
    expectFault(
      await postServer(world, { block_device_mapping_v2: [rootDisk, existing], max_count: 2 }),
      400,
      'Cannot attach one or more volumes to multiple instances',
    );
    expectFault(
      await request('1', { ...existing, device_name: '/dev/vda' }),
      400,
      'The volume cannot be assigned the same device name as the root device vda',
    );
  });

  it('creates a volume with the size of its snapshot', async () => {
    const volume = { size: 3, imageRef: imageId };
    const made = await world
      .ask('volume', 'POST', '/volume/v3/demo/volumes', { ...admin, body: { volume } })
      .expect(202);
    const body = { snapshot: { volume_id: (made.body as { volume: Shown }).volume.id } };
    const snapshot = await world
      .ask('volume', 'POST', '/volume/v3/demo/snapshots', { ...admin, body })
      .expect(202);
    const { id } = (snapshot.body as { snapshot: Shown }).snapshot;
    const device = { source_type: 'snapshot', uuid: id, destination_type: 'volume', boot_index: 0 };
    const server = await madeServer(world, {
      imageRef: undefined,
      block_device_mapping_v2: [device],
    });
    const [attached] = server['os-extended-volumes:volumes_attached'] as { id: string }[];
    const shown = await world
      .ask('volume', 'GET', `/volume/v3/demo/volumes/${attached!.id}`, admin)
      .expect(200);
    expect(shown.body.volume).to.include({ size: 3, snapshot_id: id });
  });

  it('returns 403 for files that exceed the quotas, and 400 for files from 2.57 on', async () => {
    const file = (path = '/etc/motd', contents = 'aGk=') => ({ path, contents });
    const asked = { ...admin, version: '2.56' };
    const create = (personality: object[]) => postServer(world, { personality }, asked);
    expect((await create([file()])).status).to.equal(202);
    const six = Array.from({ length: 6 }, () => file());
    expectFault(await create(six), 403, 'Personality file limit exceeded');
    expectFault(
      await create([file('x'.repeat(256))]),
      403,
      'Personality file path exceeds maximum 255',
    );
    const long = 'a'.repeat(10_244);
    expectFault(
      await create([file(), file('/x', long)]),
      403,
      'Personality file content exceeds maximum 10240',
    );
    expectFault(
      await create([file('x'.repeat(256), long)]),
      403,
      'Personality file path exceeds maximum 255',
    );
    const { id } = await madeServer(world);
    const body = { rebuild: { imageRef: imageId, personality: six } };
    expectFault(
      await ask(world, 'POST', `/servers/${id}/action`, { ...asked, body }),
      403,
      'Personality file limit exceeded',
    );
    expectFault(
      await postServer(world, { personality: [file()] }, { ...admin, version: '2.57' }),
      400,
      /'personality' was unexpected/,
    );
  });
});
