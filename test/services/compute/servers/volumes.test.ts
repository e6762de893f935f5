// Tests of what may be changed of an attached volume.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, config, expectFault, member } from '../support.ts';
import { admin, madeServer } from './makers.ts';

onEachDatabase('compute: attached volumes', config, (world) => {
  const volume = async (): Promise<string> => {
    const asked = { token: 'admin:demo', body: { volume: { size: 1 } } };
    return (await world.ask('volume', 'POST', '/volume/v3/demo/volumes', asked).expect(202)).body.volume.id as string;
  };

  describe('PUT /servers/{id}/os-volume_attachments/{id}', () => {
    const put = (server: string, id: string, fields: object, version: string, as = admin) =>
      ask(world, 'PUT', `/servers/${server}/os-volume_attachments/${id}`, { ...as, version, body: { volumeAttachment: fields } });

    it('says since 2.85 whether the volume goes with the server', async () => {
      const server = await madeServer(world);
      const id = await volume();
      const path = `/servers/${server.id}/os-volume_attachments`;
      await ask(world, 'POST', path, { ...admin, version: '2.85', body: { volumeAttachment: { volumeId: id } } }).expect(200);
      expect((await put(server.id, id, { volumeId: id, delete_on_termination: true }, '2.85', member)).status).to.equal(202);
      const { volumeAttachment } = (await ask(world, 'GET', `${path}/${id}`, { ...admin, version: '2.85' })).body;
      expect(volumeAttachment).to.include({ volumeId: id, delete_on_termination: true });
      expectFault(
        await put(server.id, id, { volumeId: id, device: '/dev/vdz' }, '2.85'),
        400,
        'The device property is not mutable',
      );
      expectFault(await put(server.id, id, { volumeId: id, device: '/dev/vdz' }, '2.84'), 400, /'device' was unexpected/);
    });

    it('never puts another volume in its place', async () => {
      const server = await madeServer(world);
      const [id, other] = [await volume(), await volume()];
      const body = { volumeAttachment: { volumeId: id } };
      await ask(world, 'POST', `/servers/${server.id}/os-volume_attachments`, { ...admin, version: '2.85', body }).expect(200);
      const refusal = `volume ${id} is not migrating; this API should only be called by Cinder`;
      for (const version of ['2.1', '2.84', '2.85'])
        expectFault(await put(server.id, id, { volumeId: other }, version), 409, refusal);
      expectFault(
        await put(server.id, id, { volumeId: id }, '2.84', member),
        403,
        "Policy doesn't allow os_compute_api:os-volumes-attachments:swap to be performed.",
      );
      const missing = '11111111-1111-1111-1111-111111111111';
      expectFault(await put(server.id, missing, { volumeId: other }, '2.1'), 404, `Volume ${missing} could not be found.`);
    });
  });
});
