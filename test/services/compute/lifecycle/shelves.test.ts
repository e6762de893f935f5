// Tests of the image of a shelved server's disk.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, config } from '../support.ts';
import { act, admin, madeServer, newest, showServer } from '../servers/makers.ts';

onEachDatabase('compute: shelved servers', config, (world) => {
  const images = async (): Promise<{ id: string; name: string }[]> => {
    const reply = await world.ask('image', 'GET', '/image/v2/images?visibility=private', {
      token: 'admin:demo',
    });
    return (reply.body as { images: { id: string; name: string }[] }).images;
  };

  it('creates an image, and deletes it when the server is unshelved', async () => {
    const { id } = await madeServer(world, { name: 'web' });
    await act(world, id, { createImage: { name: 'kept' } });
    await act(world, id, { shelve: null });
    expect((await images()).map(({ name }) => name)).to.have.members(['kept', 'web-shelved']);
    expect((await act(world, id, { unshelve: null })).status).to.equal('ACTIVE');
    expect((await images()).map(({ name }) => name)).to.deep.equal(['kept']);
  });

  it('deletes the image together with the server', async () => {
    const { id } = await madeServer(world);
    await act(world, id, { shelve: null });
    expect(await images()).to.have.length(1);
    await ask(world, 'DELETE', `/servers/${id}`, { ...admin, version: newest }).expect(204);
    expect(await images()).to.deep.equal([]);
  });

  it('fails to unshelve a server whose image is deleted', async () => {
    const { id } = await madeServer(world);
    await act(world, id, { shelve: null });
    const [image] = await images();
    await world
      .ask('image', 'DELETE', `/image/v2/images/${image!.id}`, { token: 'admin:demo' })
      .expect(204);
    await act(world, id, { unshelve: null });
    const server = await showServer(world, id);
    expect(server.status).to.equal('ERROR');
    expect(server.fault!.message).to.equal(
      `Unshelve attempted but the image ${image!.id} cannot be found.`,
    );
  });

  it('creates no image for a volume-backed server', async () => {
    const root = {
      boot_index: 0,
      source_type: 'blank',
      destination_type: 'volume',
      volume_size: 1,
    };
    const { id } = await madeServer(world, {
      imageRef: undefined,
      block_device_mapping_v2: [root],
    });
    await act(world, id, { shelve: null });
    expect(await images()).to.deep.equal([]);
    expect((await act(world, id, { unshelve: null })).status).to.equal('ACTIVE');
  });
});
