// Tests of rebuilding volume-backed servers.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, config, expectFault } from '../support.ts';
import { admin, imageId, madeServer, newest, showServer } from '../servers/makers.ts';

onEachDatabase('compute: POST /servers/{id}/action rebuild, volume-backed', config, (world) => {
  const device = {
    boot_index: 0,
    source_type: 'image',
    uuid: imageId,
    destination_type: 'volume',
    volume_size: 1,
  };
  const made = () => madeServer(world, { imageRef: undefined, block_device_mapping_v2: [device] });
  const rebuild = (id: string, fields: object, version = newest) =>
    ask(world, 'POST', `/servers/${id}/action`, { ...admin, version, body: { rebuild: fields } });

  const otherImage = async (fields: object = {}): Promise<string> => {
    const body = { name: 'other', disk_format: 'raw', container_format: 'bare', ...fields };
    const { id } = (
      await world
        .ask('image', 'POST', '/image/v2/images', { token: 'admin:demo', body })
        .expect(201)
    ).body as {
      id: string;
    };
    const headers = { 'content-type': 'application/octet-stream' };
    await world
      .ask('image', 'PUT', `/image/v2/images/${id}/file`, {
        token: 'admin:demo',
        headers,
        body: 'x',
      })
      .expect(204);
    return id;
  };

  const volumeOf = async (
    id: string,
  ): Promise<{ id: string; status: string; volume_image_metadata: { image_id: string } }> => {
    const [volume] = (await showServer(world, id))['os-extended-volumes:volumes_attached'] as {
      id: string;
    }[];
    return (
      await world.ask('volume', 'GET', `/volume/v3/demo/volumes/${volume!.id}`, {
        token: 'admin:demo',
      })
    ).body.volume;
  };

  it('overwrites the root volume with the image from 2.93 on', async () => {
    const { id } = await made();
    const before = await volumeOf(id);
    const image = await otherImage();
    const reply = await rebuild(id, { imageRef: image }, '2.93');
    expect(reply.status, reply.text).to.equal(202);
    expect(reply.body.server.image).to.equal('');
    expect((await showServer(world, id)).status).to.equal('ACTIVE');
    const after = await volumeOf(id);
    expect(after).to.include({ id: before.id, status: 'in-use' });
    expect([before, after].map((volume) => volume.volume_image_metadata.image_id)).to.deep.equal([
      imageId,
      image,
    ]);
  });

  it('returns 400 for another image before 2.93', async () => {
    const { id } = await made();
    const image = await otherImage();
    const reason = 'Unable to rebuild with a different image for a volume-backed server.';
    const refusal = `Image ${image} is unacceptable: ${reason}`;
    expectFault(await rebuild(id, { imageRef: image }, '2.92'), 400, refusal);
    expect((await rebuild(id, { imageRef: imageId }, '2.92')).status).to.equal(202);
  });

  it('returns 400 for trusted image certificates', async () => {
    const { id } = await made();
    expectFault(
      await rebuild(id, { imageRef: imageId, trusted_image_certificates: ['a'] }),
      400,
      'Image certificate validation is not supported for volume-backed servers.',
    );
  });

  it('puts the server into ERROR if the volume is too small for the image', async () => {
    const { id } = await made();
    await rebuild(id, { imageRef: await otherImage({ min_disk: 5 }) });
    const server = await showServer(world, id);
    expect(server.status).to.equal('ERROR');
    expect((await volumeOf(id)).volume_image_metadata.image_id).to.equal(imageId);
  });
});
