// Tests of rescue: its images, and the servers that it supports.
import { expect } from 'chai';
import { onEachDatabase, type Asked } from '../../../support/cloud.ts';
import { ask, config, expectFault, member } from '../support.ts';
import { act, admin, imageId, madeServer, newest } from '../servers/makers.ts';

onEachDatabase('compute: POST /servers/{id}/action rescue', config, (world) => {
  const rescue = (id: string, value: object | null = null, version = newest, as: Asked = admin) =>
    ask(world, 'POST', `/servers/${id}/action`, { ...as, version, body: { rescue: value } });

  const image = async (properties: object): Promise<string> => {
    const body = { name: 'rescue', disk_format: 'qcow2', container_format: 'bare', ...properties };
    return (
      await world
        .ask('image', 'POST', '/image/v2/images', { token: 'admin:demo', body })
        .expect(201)
    ).body.id as string;
  };

  it('returns the password, and is reverted by unrescue', async () => {
    const { id } = await madeServer(world);
    const reply = await rescue(id, { adminPass: 'own', rescue_image_ref: imageId });
    expect(reply.body).to.deep.equal({ adminPass: 'own' });
    const { status, body } = await ask(world, 'GET', `/servers/${id}`, {
      ...admin,
      version: newest,
    });
    expect([status, body.server.status, body.server['OS-EXT-STS:vm_state']]).to.deep.equal([
      200,
      'RESCUE',
      'rescued',
    ]);
    expectFault(
      await rescue(id),
      409,
      `Cannot 'rescue' instance ${id} while it is in vm_state rescued`,
    );
    expect((await act(world, id, { unrescue: null })).status).to.equal('ACTIVE');
    expect((await rescue(id)).body.adminPass).to.match(/^\w{12}$/);
  });

  const missing = '11111111-1111-1111-1111-111111111111';

  it('returns 400 for an unknown image, and for one with block devices', async () => {
    const { id } = await madeServer(world);
    expectFault(
      await rescue(id, { rescue_image_ref: missing }),
      400,
      `Requested rescue image '${missing}' is not supported`,
    );
    const ofVolume = await image({ block_device_mapping: '[]' });
    expectFault(
      await rescue(id, { rescue_image_ref: ofVolume }),
      400,
      `Requested rescue image '${ofVolume}' is not supported`,
    );
  });

  it('returns 409 for a locked server before it checks the image', async () => {
    const { id } = await madeServer(world);
    await act(world, id, { lock: null });
    expectFault(
      await rescue(id, { rescue_image_ref: missing }, newest, member),
      409,
      `Instance ${id} is locked`,
    );
  });

  it('rescues a volume-backed server from 2.87 on, with an image that supports it', async () => {
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
    const refusal = `Instance ${id} cannot be rescued: Cannot rescue a volume-backed instance`;
    const stable = await image({ hw_rescue_bus: 'virtio', hw_rescue_device: 'disk' });
    expectFault(await rescue(id), 400, refusal);
    expectFault(await rescue(id, { rescue_image_ref: imageId }), 400, refusal);
    expectFault(await rescue(id, { rescue_image_ref: stable }, '2.86'), 400, refusal);
    expect((await rescue(id, { rescue_image_ref: stable }, '2.87')).status).to.equal(200);
  });
});
