// Tests of images of volume-backed servers, which consist of snapshots and an image that describes
// them, and of servers that boot from such images.
import { expect } from 'chai';
import { onEachDatabase, type Asked } from '../../../support/cloud.ts';
import { ask, config, expectFault } from '../support.ts';
import {
  act,
  admin,
  imageId,
  madeServer,
  newest,
  showServer,
  type Shown,
} from '../servers/makers.ts';

interface Device {
  readonly source_type: string;
  readonly snapshot_id: string;
  readonly boot_index: number;
  readonly [field: string]: unknown;
}

onEachDatabase('compute: images of volume-backed servers', config, (world) => {
  const root = {
    source_type: 'image',
    uuid: imageId,
    destination_type: 'volume',
    boot_index: 0,
    volume_size: 2,
  };
  const data = {
    source_type: 'blank',
    destination_type: 'volume',
    volume_size: 3,
    delete_on_termination: true,
  };
  const onVolumes = (): Promise<Shown> =>
    madeServer(world, { imageRef: undefined, block_device_mapping_v2: [root, data] });

  const inVolume = async (path: string, as: Asked = admin): Promise<Record<string, unknown>[]> => {
    const { body } = await world.ask('volume', 'GET', `/volume/v3/${path}`, as).expect(200);
    return (Object.values(body as object) as Record<string, unknown>[][])[0]!;
  };
  const image = async (id: string): Promise<Record<string, unknown>> =>
    (await world.ask('image', 'GET', `/image/v2/images/${id}`, admin).expect(200)).body as Record<
      string,
      unknown
    >;

  const imageOf = async (server: string, as: Asked = admin): Promise<string> => {
    const body = { createImage: { name: 'snap', metadata: { kind: 'golden' } } };
    const reply = await ask(world, 'POST', `/servers/${server}/action`, {
      ...as,
      version: newest,
      body,
    });
    expect(reply.status, reply.text).to.equal(202);
    return (reply.body as { image_id: string }).image_id;
  };

  it('creates snapshots of the volumes, and an image without data that lists them', async () => {
    const server = await onVolumes();
    const made = await image(await imageOf(server.id));
    expect(made).to.include({
      name: 'snap',
      status: 'active',
      size: 0,
      disk_format: 'raw',
      container_format: 'bare',
      visibility: 'private',
      bdm_v2: 'True',
      root_device_name: '/dev/vda',
      kind: 'golden',
    });
    const devices = JSON.parse(made['block_device_mapping'] as string) as Device[];
    const snapshots = await inVolume('demo/snapshots/detail');
    expect(devices.map(({ snapshot_id: id }) => id)).to.have.members(snapshots.map(({ id }) => id));
    expect(snapshots.map(({ name, status, size }) => [name, status, size])).to.have.deep.members([
      ['snapshot for snap', 'available', 2],
      ['snapshot for snap', 'available', 3],
    ]);
    expect(devices[0]).to.include({
      source_type: 'snapshot',
      destination_type: 'volume',
      boot_index: 0,
      volume_size: 2,
      device_name: '/dev/vda',
      delete_on_termination: false,
    });
    expect(devices[1]).to.include({
      boot_index: -1,
      volume_size: 3,
      device_name: '/dev/vdb',
      delete_on_termination: true,
    });
    expect((await showServer(world, server.id))['OS-EXT-STS:task_state']).to.equal(null);
  });

  it('boots a server from new volumes, and deletes those that end with it', async () => {
    const from = await imageOf((await onVolumes()).id);
    const before = (await inVolume('demo/volumes/detail')).map(({ id }) => id);
    const server = await madeServer(world, { imageRef: from });
    expect([server.status, (server['image'] as { id: string }).id]).to.deep.equal(['ACTIVE', from]);
    const volumes = (await inVolume('demo/volumes/detail')).filter(
      ({ id }) => !before.includes(id),
    );
    const devices = JSON.parse((await image(from))['block_device_mapping'] as string) as Device[];
    expect(
      volumes.map(({ size, snapshot_id, status }) => [size, snapshot_id, status]),
    ).to.have.deep.members(
      devices.map(({ volume_size, snapshot_id }) => [volume_size, snapshot_id, 'in-use']),
    );
    const attached = server['os-extended-volumes:volumes_attached'] as { id: string }[];
    expect(attached.map(({ id }) => id)).to.have.members(volumes.map(({ id }) => id));
    await ask(world, 'DELETE', `/servers/${server.id}`, admin).expect(204);
    const left = (await inVolume('demo/volumes/detail')).map(({ id }) => id);
    expect(volumes.map(({ id, size }) => [left.includes(id), size])).to.have.deep.members([
      [true, 2],
      [false, 3],
    ]);
  });

  it('boots a server whose request names the image as a device', async () => {
    const from = await imageOf((await onVolumes()).id);
    // Clients name the image among the devices too. Without an image, it may be the source of the
    // root volume.
    const listed = [{ source_type: 'image', uuid: from, destination_type: 'local', boot_index: 0 }];
    expect(
      (await madeServer(world, { imageRef: from, block_device_mapping_v2: listed })).status,
    ).to.equal('ACTIVE');
    const sole = [
      {
        source_type: 'image',
        uuid: from,
        destination_type: 'volume',
        boot_index: 0,
        volume_size: 2,
      },
    ];
    const onSole = await madeServer(world, { imageRef: undefined, block_device_mapping_v2: sole });
    expect(onSole['os-extended-volumes:volumes_attached']).to.have.length(2);
  });

  it('treats a server that boots from such an image as volume-backed', async () => {
    const { id } = await madeServer(world, { imageRef: await imageOf((await onVolumes()).id) });
    const backUp = { createBackup: { name: 'b', backup_type: 'daily', rotation: 1 } };
    expectFault(
      await ask(world, 'POST', `/servers/${id}/action`, {
        ...admin,
        version: newest,
        body: backUp,
      }),
      400,
      'Backup is not supported for volume-backed instances.',
    );
    expect((await act(world, id, { shelve: null })).status).to.equal('SHELVED_OFFLOADED');
    expect((await act(world, id, { unshelve: null })).status).to.equal('ACTIVE');
  });

  it('replaces a device of the image by a device of the request with the same name', async () => {
    const from = await imageOf((await onVolumes()).id);
    const other = {
      source_type: 'blank',
      destination_type: 'volume',
      volume_size: 5,
      device_name: 'vdb',
    };
    const server = await madeServer(world, { imageRef: from, block_device_mapping_v2: [other] });
    const volumes = await inVolume('demo/volumes/detail');
    const sizes = (server['os-extended-volumes:volumes_attached'] as { id: string }[]).map(
      ({ id }) => volumes.find((one) => one['id'] === id)!['size'],
    );
    expect(sizes).to.have.members([2, 5]);
  });

  it('returns 403 and keeps no snapshot when the quota of snapshots is exceeded', async () => {
    const server = await onVolumes();
    const body = { quota_set: { snapshots: 1 } };
    await world
      .ask('volume', 'PUT', '/volume/v3/demo/os-quota-sets/demo', { ...admin, body })
      .expect(200);
    const asked = { ...admin, version: newest, body: { createImage: { name: 'snap' } } };
    const message = 'Quota exceeded for resources: snapshots';
    expectFault(await ask(world, 'POST', `/servers/${server.id}/action`, asked), 403, message);
    expect(await inVolume('demo/snapshots')).to.have.length(0);
  });

  it('shares an image that another project creates with the project of the server', async () => {
    const asked = { token: 'admin:else' };
    for (const server of [await onVolumes(), await madeServer(world)]) {
      const id = await imageOf(server.id, asked);
      expect(await image(id)).to.include({ visibility: 'shared', owner: 'else' });
      const { body } = await world
        .ask('image', 'GET', `/image/v2/images/${id}/members`, asked)
        .expect(200);
      expect(
        (body as { members: { member_id: string }[] }).members.map((one) => one.member_id),
      ).to.deep.equal(['demo']);
    }
  });
});
