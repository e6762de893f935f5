// Tests of requests for servers with addresses, user data, and volumes to boot from.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, config, expectFault } from '../support.ts';
import { act, admin, imageId, madeServer, newest, postServer } from '../servers/makers.ts';

const long = '0000:0000:0000:0000:0000:babe:220.12.22.2';

onEachDatabase('compute: requests for servers', config, (world) => {
  const ready = async (volume: object): Promise<string> => {
    const asked = { token: 'admin:demo', body: { volume: { size: 1, ...volume } } };
    const reply = await world.ask('volume', 'POST', '/volume/v3/demo/volumes', asked).expect(202);
    return (reply.body as { volume: { id: string } }).volume.id;
  };

  const fromDevice = (device: object, fields: object = {}) => ({
    imageRef: undefined,
    block_device_mapping_v2: [{ boot_index: 0, destination_type: 'volume', ...device }],
    ...fields,
  });

  it('shows addresses in their canonical form', async () => {
    const server = await madeServer(world, { accessIPv4: '10.1.2.3', accessIPv6: long });
    expect(server).to.include({ accessIPv4: '10.1.2.3', accessIPv6: '::babe:dc0c:1602' });
    const body = { server: { accessIPv6: 'FE80:0:0::0001' } };
    const changed = await ask(world, 'PUT', `/servers/${server.id}`, {
      ...admin,
      version: newest,
      body,
    });
    expect(changed.body.server).to.include({ accessIPv6: 'fe80::1' });
    expect(
      await act(world, server.id, { rebuild: { imageRef: imageId, accessIPv6: long } }),
    ).to.include({
      accessIPv6: '::babe:dc0c:1602',
    });
  });

  it('accepts user data that Python can decode as base64', async () => {
    for (const user_data of ['YQ==', 'YWJj', 'YQ==YQ', 'Y W\nJ!j', '', '=']) {
      expect((await postServer(world, { user_data })).status, user_data).to.equal(202);
    }
  });

  it('returns 400 for user data with wrong padding, without quoting it', async () => {
    for (const user_data of ['YQ', 'YQ=', 'YWJjZ', 'a']) {
      const refused = await postServer(world, { user_data });
      const field = 'Invalid input for field/attribute user_data. Value: ***.';
      expectFault(refused, 400, `${field} '***' is not a 'base64'`);
    }
  });

  it('boots a server from a bootable volume', async () => {
    const full = await ready({ imageRef: imageId });
    expect(
      (await madeServer(world, fromDevice({ source_type: 'volume', uuid: full }))).status,
    ).to.equal('ACTIVE');
  });

  it('returns 400 for a volume that is not bootable', async () => {
    const blank = await ready({});
    expectFault(
      await postServer(world, fromDevice({ source_type: 'volume', uuid: blank })),
      400,
      `Block Device ${blank} is not bootable.`,
    );
    const old = {
      imageRef: undefined,
      networks: undefined,
      block_device_mapping: [{ volume_id: blank, device_name: '/dev/vda' }],
    };
    const reply = await postServer(world, old, { ...admin, version: '2.1' });
    expectFault(reply, 400, `Block Device ${blank} is not bootable.`);
  });

  it('returns 400 for a snapshot of a volume that is not bootable', async () => {
    const volume = await ready({});
    const body = { snapshot: { volume_id: volume } };
    const reply = await world
      .ask('volume', 'POST', '/volume/v3/demo/snapshots', { token: 'admin:demo', body })
      .expect(202);
    const { id } = (reply.body as { snapshot: { id: string } }).snapshot;
    const refused = await postServer(world, fromDevice({ source_type: 'snapshot', uuid: id }));
    expectFault(refused, 400, `Block Device ${volume} is not bootable.`);
  });

  it('returns 400 for unknown volumes and snapshots', async () => {
    const uuid = '11111111-1111-1111-1111-111111111111';
    for (const source_type of ['volume', 'snapshot']) {
      const reply = await postServer(world, fromDevice({ source_type, uuid }));
      expectFault(
        reply,
        400,
        `Block Device Mapping is Invalid: failed to get ${source_type} ${uuid}.`,
      );
    }
  });

  it('creates the root volume, and deletes it with the server if the request says so', async () => {
    const root = {
      boot_index: 0,
      source_type: 'blank',
      destination_type: 'volume',
      volume_size: 2,
      delete_on_termination: true,
    };
    const server = await madeServer(world, { imageRef: '', block_device_mapping_v2: [root] });
    expect(server).to.include({ status: 'ACTIVE', image: '' });
    const [volume] = server['os-extended-volumes:volumes_attached'] as {
      id: string;
      delete_on_termination: boolean;
    }[];
    expect(volume!.delete_on_termination).to.equal(true);
    const shown = (): Promise<{ status: number; body: { volume?: { status: string } } }> =>
      world.ask('volume', 'GET', `/volume/v3/demo/volumes/${volume!.id}`, { token: 'admin:demo' });
    expect((await shown()).body.volume!.status).to.equal('in-use');
    const detach = await ask(
      world,
      'DELETE',
      `/servers/${server.id}/os-volume_attachments/${volume!.id}`,
      { ...admin, version: newest },
    );
    expectFault(detach, 400, 'Cannot detach a root device volume');
    await ask(world, 'DELETE', `/servers/${server.id}`, admin).expect(204);
    expect((await shown()).status).to.equal(404);
  });
});
