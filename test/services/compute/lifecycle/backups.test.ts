// Tests of backups, of which the oldest beyond the rotation are deleted.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, config, expectFault, reader } from '../support.ts';
import { act, admin, madeServer, newest } from '../servers/makers.ts';

onEachDatabase('compute: POST /servers/{id}/action createBackup', config, (world) => {
  const backUp = (id: string, fields: object = {}, version = newest) =>
    ask(world, 'POST', `/servers/${id}/action`, {
      ...admin,
      version,
      body: { createBackup: { name: 'b', backup_type: 'daily', rotation: 1, ...fields } },
    });

  const images = async (): Promise<{ name: string; [field: string]: unknown }[]> => {
    const reply = await world.ask(
      'image',
      'GET',
      '/image/v2/images?visibility=private&sort=created_at:asc',
      {
        token: 'admin:demo',
      },
    );
    return (reply.body as { images: { name: string }[] }).images;
  };

  it('creates an image with the server and the type of the backup as properties', async () => {
    const { id } = await madeServer(world);
    const reply = await backUp(id, { metadata: { own: 'x' } });
    expect(reply.status).to.equal(202);
    const [image] = await images();
    expect(reply.body).to.deep.equal({ image_id: image!['id'] });
    expect(image).to.include({
      name: 'b',
      status: 'active',
      image_type: 'backup',
      backup_type: 'daily',
      instance_uuid: id,
      own: 'x',
    });
    const { instanceActions } = (
      await ask(world, 'GET', `/servers/${id}/os-instance-actions`, { ...admin, version: newest })
    ).body;
    expect(instanceActions[0].action).to.equal('createBackup');
  });

  it('deletes the oldest backups of the same server and type beyond the rotation', async () => {
    const { id } = await madeServer(world);
    const other = await madeServer(world);
    await backUp(id, { name: 'weekly', backup_type: 'weekly', rotation: 1 });
    await backUp(other.id, { name: 'of another' });
    await act(world, id, { createImage: { name: 'image' } });
    for (const [hour, name] of ['one', 'two', 'three'].entries()) {
      await world.setTime(`2026-11-20T1${hour + 3}:00:00Z`);
      await backUp(id, { name, rotation: '2' });
    }
    expect((await images()).map(({ name }) => name)).to.have.members([
      'weekly',
      'of another',
      'image',
      'two',
      'three',
    ]);
    await backUp(id, { rotation: 0 });
    expect((await images()).map(({ name }) => name)).to.have.members([
      'weekly',
      'of another',
      'image',
    ]);
  });

  it('keeps the newest backup of several with the same time', async () => {
    const { id } = await madeServer(world);
    for (const name of ['one', 'two', 'three', 'four']) await backUp(id, { name });
    expect((await images()).map(({ name }) => name)).to.deep.equal(['four']);
  });

  it('returns a Location before 2.45, unless the rotation is 0', async () => {
    const { id } = await madeServer(world);
    const kept = await backUp(id, {}, '2.44');
    expect(kept.headers['location']).to.match(/\/image\/v2\/images\/[0-9a-f-]{36}$/);
    expect(kept.text).to.equal('');
    expect((await backUp(id, { rotation: 0 }, '2.44')).headers).to.not.have.property('location');
  });

  it('returns 403 for too much metadata', async () => {
    const { id } = await madeServer(world);
    const many = Object.fromEntries(Array.from({ length: 129 }, (_, index) => [`k${index}`, 'v']));
    expectFault(await backUp(id, { metadata: many }, '2.38'), 403, 'Image metadata limit exceeded');
  });

  it('returns 409 for a rescued server', async () => {
    const { id } = await madeServer(world);
    await act(world, id, { rescue: null }, 200);
    expectFault(
      await backUp(id),
      409,
      `Cannot 'createBackup' instance ${id} while it is in vm_state rescued`,
    );
  });

  it('returns 400 for a volume-backed server', async () => {
    const root = {
      boot_index: 0,
      source_type: 'blank',
      destination_type: 'volume',
      volume_size: 1,
    };
    const onVolume = await madeServer(world, {
      imageRef: undefined,
      block_device_mapping_v2: [root],
    });
    expectFault(
      await backUp(onVolume.id),
      400,
      'Backup is not supported for volume-backed instances.',
    );
  });

  it('returns 403 for a reader', async () => {
    const { id } = await madeServer(world);
    const body = { createBackup: { name: 'b', backup_type: 'daily', rotation: 1 } };
    expectFault(
      await ask(world, 'POST', `/servers/${id}/action`, { ...reader, version: newest, body }),
      403,
      "Policy doesn't allow os_compute_api:os-create-backup to be performed.",
    );
  });

  it('returns 400 for a negative rotation', async () => {
    const { id } = await madeServer(world);
    expectFault(
      await backUp(id, { rotation: -1 }),
      400,
      'Invalid input for field/attribute rotation. Value: -1. -1 is less than the minimum of 0',
    );
  });
});
