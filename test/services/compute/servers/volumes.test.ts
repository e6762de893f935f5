// Tests attached volumes: their options, their extension, and assisted snapshots.
import { expect } from 'chai';
import { onEachDatabase, type Asked } from '../../../support/cloud.ts';
import { ask, config, expectFault, member, someone } from '../support.ts';
import { act, admin, madeServer } from './makers.ts';

onEachDatabase('compute: attached volumes', config, (world) => {
  const volume = async (): Promise<string> => {
    const asked = { token: 'admin:demo', body: { volume: { size: 1 } } };
    return (await world.ask('volume', 'POST', '/volume/v3/demo/volumes', asked).expect(202)).body
      .volume.id as string;
  };

  describe('os-assisted-volume-snapshots', () => {
    const attached = async (): Promise<[server: string, volume: string]> => {
      const [{ id: server }, id] = [await madeServer(world), await volume()];
      const body = { volumeAttachment: { volumeId: id } };
      await ask(world, 'POST', `/servers/${server}/os-volume_attachments`, {
        ...admin,
        body,
      }).expect(200);
      return [server, id];
    };
    const create = (volume_id: string, as: Asked = admin, info: object = {}) => {
      const create_info = { snapshot_id: 's', type: 'qcow2', new_file: 'f', ...info };
      return ask(world, 'POST', '/os-assisted-volume-snapshots', {
        ...as,
        body: { snapshot: { volume_id, create_info } },
      });
    };
    const remove = (info: string) =>
      ask(
        world,
        'DELETE',
        `/os-assisted-volume-snapshots/s?delete_info=${encodeURIComponent(info)}`,
        admin,
      );

    it('are created and deleted by services for an attached volume', async () => {
      const [, id] = await attached();
      const made = await create(id, someone('service', 'cinder', 'service'), { id: '1' });
      expect([made.status, made.body]).to.deep.equal([
        200,
        { snapshot: { id: '1', volumeId: id } },
      ]);
      expect((await create(id)).body.snapshot.id).to.equal(null);
      expectFault(await create(id, member), 403, /os-assisted-volume-snapshots:create/);
      expectFault(await create(id, admin, { type: 'raw' }), 400, /'raw' is not one of \['qcow2'\]/);
      expect((await remove(JSON.stringify({ volume_id: id }))).status).to.equal(204);
    });

    it('return 400 or 409 for other volumes and states', async () => {
      const other = await volume();
      expectFault(await create(other), 400, `No volume Block Device Mapping with id ${other}.`);
      expectFault(
        await remove(JSON.stringify({ volume_id: other })),
        400,
        `No volume Block Device Mapping with id ${other}.`,
      );
      expectFault(await remove('{}'), 400, "'volume_id'");
      expectFault(await remove('x'), 400, 'Expecting value: line 1 column 1 (char 0)');
      expectFault(
        await ask(world, 'DELETE', '/os-assisted-volume-snapshots/s', admin),
        400,
        "'delete_info'",
      );
      const [server, id] = await attached();
      await act(world, server, { 'os-stop': null });
      const merging = JSON.stringify({ volume_id: id, merge_target_file: 'f' });
      expectFault(
        await remove(merging),
        400,
        `Instance ${server} in vm_state stopped. Cannot volume_snapshot_delete while the instance is in this state.`,
      );
      await act(world, server, { shelve: null });
      expectFault(await create(id), 400, `Instance ${server} is not ready`);
    });
  });

  it('notify the server when they are extended', async () => {
    const [{ id: server }, id] = [await madeServer(world), await volume()];
    const body = { volumeAttachment: { volumeId: id } };
    await ask(world, 'POST', `/servers/${server}/os-volume_attachments`, { ...admin, body }).expect(
      200,
    );
    const extend = { ...admin, version: '3.42', body: { 'os-extend': { new_size: 2 } } };
    await world.ask('volume', 'POST', `/volume/v3/demo/volumes/${id}/action`, extend).expect(202);
    const { volume: extended } = (
      await world.ask('volume', 'GET', `/volume/v3/demo/volumes/${id}`, admin)
    ).body;
    expect(extended).to.include({ size: 2, status: 'in-use' });
    const { instanceActions } = (
      await ask(world, 'GET', `/servers/${server}/os-instance-actions`, admin)
    ).body;
    expect(instanceActions.map(({ action }: { action: string }) => action)).to.include(
      'extend_volume',
    );
  });

  describe('PUT /servers/{id}/os-volume_attachments/{id}', () => {
    const put = (server: string, id: string, fields: object, version: string, as = admin) =>
      ask(world, 'PUT', `/servers/${server}/os-volume_attachments/${id}`, {
        ...as,
        version,
        body: { volumeAttachment: fields },
      });

    it('sets delete_on_termination from 2.85 on', async () => {
      const server = await madeServer(world);
      const id = await volume();
      const path = `/servers/${server.id}/os-volume_attachments`;
      await ask(world, 'POST', path, {
        ...admin,
        version: '2.85',
        body: { volumeAttachment: { volumeId: id } },
      }).expect(200);
      expect(
        (await put(server.id, id, { volumeId: id, delete_on_termination: true }, '2.85', member))
          .status,
      ).to.equal(202);
      const { volumeAttachment } = (
        await ask(world, 'GET', `${path}/${id}`, { ...admin, version: '2.85' })
      ).body;
      expect(volumeAttachment).to.include({ volumeId: id, delete_on_termination: true });
      expectFault(
        await put(server.id, id, { volumeId: id, device: '/dev/vdz' }, '2.85'),
        400,
        'The device property is not mutable',
      );
      expectFault(
        await put(server.id, id, { volumeId: id, device: '/dev/vdz' }, '2.84'),
        400,
        /'device' was unexpected/,
      );
    });

    it('returns 400 or 409 for another volume', async () => {
      const server = await madeServer(world);
      const [id, other] = [await volume(), await volume()];
      const body = { volumeAttachment: { volumeId: id } };
      await ask(world, 'POST', `/servers/${server.id}/os-volume_attachments`, {
        ...admin,
        version: '2.85',
        body,
      }).expect(200);
      const refusal = `volume ${id} is not migrating; this API should only be called by Cinder`;
      for (const version of ['2.1', '2.84', '2.85'])
        expectFault(await put(server.id, id, { volumeId: other }, version), 409, refusal);
      expectFault(
        await put(server.id, id, { volumeId: id }, '2.84', member),
        403,
        "Policy doesn't allow os_compute_api:os-volumes-attachments:swap to be performed.",
      );
      const missing = '11111111-1111-1111-1111-111111111111';
      expectFault(
        await put(server.id, missing, { volumeId: other }, '2.1'),
        404,
        `Volume ${missing} could not be found.`,
      );
    });
  });
});
