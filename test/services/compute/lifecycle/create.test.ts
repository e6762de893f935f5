// Tests of what a request for a server says beside image, flavor and networks: addresses, and
// volumes to start from.
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

  it('tells addresses in their short form, however they were written', async () => {
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

  it('takes user data as Python decodes base64: only the padding can be wrong', async () => {
    for (const user_data of ['YQ==', 'YWJj', 'YQ==YQ', 'Y W\nJ!j', '', '=']) {
      expect((await postServer(world, { user_data })).status, user_data).to.equal(202);
    }
    for (const user_data of ['YQ', 'YQ=', 'YWJjZ', 'a']) {
      const refused = await postServer(world, { user_data });
      const message = `Invalid input for field/attribute user_data. Value: ${user_data}. '${user_data}' is not a 'base64'`;
      expectFault(refused, 400, message);
    }
  });

  it('starts a server from a volume that is bootable, and from no other', async () => {
    const blank = await ready({});
    const full = await ready({ imageRef: imageId });
    expectFault(
      await postServer(world, fromDevice({ source_type: 'volume', uuid: blank })),
      400,
      `Block Device ${blank} is not bootable.`,
    );
    expect(
      (await madeServer(world, fromDevice({ source_type: 'volume', uuid: full }))).status,
    ).to.equal('ACTIVE');
    const old = {
      imageRef: undefined,
      networks: undefined,
      block_device_mapping: [{ volume_id: blank, device_name: '/dev/vda' }],
    };
    const reply = await postServer(world, old, { ...admin, version: '2.1' });
    expectFault(reply, 400, `Block Device ${blank} is not bootable.`);
  });

  it('looks at the volume that a snapshot is of', async () => {
    const volume = await ready({});
    const body = { snapshot: { volume_id: volume } };
    const reply = await world
      .ask('volume', 'POST', '/volume/v3/demo/snapshots', { token: 'admin:demo', body })
      .expect(202);
    const { id } = (reply.body as { snapshot: { id: string } }).snapshot;
    const refused = await postServer(world, fromDevice({ source_type: 'snapshot', uuid: id }));
    expectFault(refused, 400, `Block Device ${volume} is not bootable.`);
  });

  it('refuses volumes and snapshots that are not there', async () => {
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

  it('starts servers from volumes, which go with them where that was asked for', async () => {
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
