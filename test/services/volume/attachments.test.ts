// Tests attachments.
import { expect } from 'chai';
import type supertest from 'supertest';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  ask,
  createType,
  createVolume,
  messageOf,
  otherServer,
  server,
  volume,
} from './support.ts';

onEachDatabase('attachments', { auth: 'noauth2' }, (world) => {
  const connector = { host: 'h', mountpoint: '/dev/vdc', initiator: 'iqn.1993-08.org.debian:01' };
  const status = async (id: string): Promise<unknown> => (await volume(world, id))['status'];
  const post = (id: string, fields: object = {}): supertest.Test =>
    ask(world, 'alice', 'POST', '/attachments', {
      body: { attachment: { volume_uuid: id, instance_uuid: server, ...fields } },
    });
  const create = async (id: string, fields: object = {}): Promise<{ id: string }> =>
    (await post(id, fields).expect(200)).body.attachment as { id: string };
  const put = (id: string, given: object = connector): supertest.Test =>
    ask(world, 'alice', 'PUT', `/attachments/${id}`, {
      body: { attachment: { connector: given } },
    });
  const connect = (id: string): supertest.Test => put(id).expect(200);
  const shown = async (id: string): Promise<Record<string, unknown>> =>
    (await ask(world, 'alice', 'GET', `/attachments/${id}`).expect(200)).body.attachment as Record<
      string,
      unknown
    >;
  const complete = (id: string): supertest.Test =>
    ask(world, 'alice', 'POST', `/attachments/${id}/action`, {
      body: { 'os-complete': {} },
    }).expect(204);

  describe('POST /attachments', () => {
    it('creates an attachment, and reserves the volume', async () => {
      const id = await createVolume(world, 'alice');
      expect(await create(id, { mode: 'ro' })).to.deep.include({
        status: 'reserved',
        volume_id: id,
        instance: server,
        attach_mode: 'ro',
        connection_info: {},
        attached_at: '',
      });
      expect(await status(id)).to.equal('reserved');
    });

    it('returns 400 for a volume that another server has reserved', async () => {
      const id = await createVolume(world, 'alice');
      await create(id);
      const refused = await post(id, { instance_uuid: otherServer }).expect(400);
      expect(messageOf(refused)).to.contain('status must be available or downloading to reserve');
    });

    it('connects at once if the body has a connector', async () => {
      const id = await createVolume(world, 'alice');
      const created = await create(id, { connector });
      expect(created).to.deep.include({ status: 'reserved', attach_mode: 'null', attached_at: '' });
      const { connection_info: connection } = created as unknown as { connection_info: object };
      expect(connection).to.include({ volume_id: id, attachment_id: created.id });
      expect(await shown(created.id)).to.deep.include({
        status: 'attaching',
        attach_mode: 'null',
        connection_info: connection,
      });
      expect(await status(id)).to.equal('attaching');
    });

    it('connects a volume to a second host of its server, for a live migration', async () => {
      const id = await createVolume(world, 'alice');
      const source = await create(id, { connector });
      await complete(source.id);
      const target = await create(id, { connector: { ...connector, host: 'i' } });
      expect(messageOf(await put(target.id).expect(409))).to.equal(
        `duplicate connectors detected on volume ${id}`,
      );
      await complete(target.id);
      await ask(world, 'alice', 'DELETE', `/attachments/${source.id}`).expect(200);
      expect(await status(id)).to.equal('in-use');
      expect(await shown(target.id)).to.include({ status: 'attached' });
    });

    it('keeps a volume in use that it reserves again for the same server', async () => {
      const id = await createVolume(world, 'alice');
      await complete((await create(id, { connector })).id);
      await create(id);
      expect(await status(id)).to.equal('in-use');
      await post(id, { instance_uuid: otherServer }).expect(400);
    });

    it('returns 400 for a connector without an initiator, and reserves nothing', async () => {
      const id = await createVolume(world, 'alice');
      expect(messageOf(await post(id, { connector: { host: 'h' } }).expect(400))).to.equal(
        "Invalid input received: Connector doesn't have required information: initiator",
      );
      expect(await status(id)).to.equal('available');
    });

    it('attaches a multiattach volume to several servers', async () => {
      await createType(world, { name: 'many', extra_specs: { multiattach: '<is> True' } });
      const id = await createVolume(world, 'alice', { volume_type: 'many' });
      const first = await create(id, { connector });
      await complete(first.id);
      const second = await create(id, {
        connector: { ...connector, host: 'i' },
        instance_uuid: otherServer,
      });
      await ask(world, 'alice', 'DELETE', `/attachments/${second.id}`).expect(200);
      expect(await status(id)).to.equal('in-use');
    });

    it('returns 404 before 3.27, and 400 for a mode before 3.54', async () => {
      const id = await createVolume(world, 'alice');
      const body = { attachment: { volume_uuid: id, mode: 'rw' } };
      await ask(world, 'alice', 'POST', '/attachments', { version: '3.26', body }).expect(404);
      await ask(world, 'alice', 'POST', '/attachments', { version: '3.53', body }).expect(400);
      await ask(world, 'alice', 'POST', '/attachments', { version: '3.54', body }).expect(200);
    });
  });

  describe('PUT /attachments/{id}', () => {
    it('connects an attachment, and returns the connection', async () => {
      const id = await createVolume(world, 'alice');
      const { id: attachment } = await create(id, { mode: 'ro' });
      const { body } = await connect(attachment);
      expect(body.attachment).to.include({ status: 'reserved', attach_mode: 'ro' });
      expect(body.attachment.connection_info).to.include({
        driver_volume_type: 'iscsi',
        volume_id: id,
        access_mode: 'rw',
        enforce_multipath: false,
        attachment_id: attachment,
      });
      expect(await shown(attachment)).to.include({ status: 'attaching', attach_mode: 'ro' });
    });

    it('takes the mode from the connector if the attachment has none', async () => {
      const modes = { ro: { mode: 'ro' }, rw: {} };
      for (const [mode, fields] of Object.entries(modes)) {
        const { id } = await create(await createVolume(world, 'alice'));
        await put(id, { ...connector, ...fields }).expect(200);
        expect(await shown(id)).to.include({ attach_mode: mode });
      }
    });

    it('returns 400 for a connector without an initiator', async () => {
      const { id } = await create(await createVolume(world, 'alice'));
      expect(messageOf(await put(id, { host: 'h' }).expect(400))).to.equal(
        "Invalid input received: Connector doesn't have required information: initiator",
      );
    });
  });

  describe('POST /attachments/{id}/action', () => {
    it('os-complete puts the volume into use', async () => {
      const id = await createVolume(world, 'alice');
      const { id: attachment } = await create(id);
      await connect(attachment);
      await complete(attachment);
      const used = await volume(world, id);
      expect(used).to.deep.include({ status: 'in-use', metadata: {} });
      expect((used['attachments'] as object[])[0]).to.include({
        attachment_id: attachment,
        device: '/dev/vdc',
        server_id: server,
      });
    });

    it('os-complete completes an attachment without a host, which has no time', async () => {
      const id = await createVolume(world, 'alice');
      const { id: attachment } = await create(id);
      await complete(attachment);
      expect(await shown(attachment)).to.include({ status: 'attached', attached_at: '' });
      expect(((await volume(world, id))['attachments'] as object[])[0]).to.include({
        attachment_id: attachment,
        attached_at: null,
        device: null,
      });
    });

    it('os-complete returns 404 before 3.44', async () => {
      await ask(world, 'alice', 'POST', '/attachments/x/action', {
        version: '3.43',
        body: { 'os-complete': {} },
      }).expect(404);
    });
  });

  describe('GET /attachments', () => {
    it('filters by instance_id and status', async () => {
      const id = await createVolume(world, 'alice');
      const { id: attachment } = await create(id, { connector });
      await complete(attachment);
      const path = `/attachments?instance_id=${server}&status=attached`;
      const list = await ask(world, 'alice', 'GET', path).expect(200);
      expect(list.body.attachments).to.deep.equal([
        { id: attachment, status: 'attached', instance: server, volume_id: id },
      ]);
      expect(
        (await ask(world, 'alice', 'GET', `/attachments/detail?instance_id=${otherServer}`)).body
          .attachments,
      ).to.deep.equal([]);
    });
  });

  describe('GET /attachments/{id}', () => {
    it('returns 404 for another project', async () => {
      const { id } = await create(await createVolume(world, 'alice'));
      await ask(world, 'bob', 'GET', `/attachments/${id}`).expect(404);
    });
  });

  describe('DELETE /attachments/{id}', () => {
    it('deletes an attachment, and makes the volume available', async () => {
      const id = await createVolume(world, 'alice');
      const { id: attachment } = await create(id, { connector });
      await complete(attachment);
      const { body } = await ask(world, 'alice', 'DELETE', `/attachments/${attachment}`).expect(
        200,
      );
      expect(body).to.deep.equal({ attachments: [] });
      expect(await status(id)).to.equal('available');
      const again = await create(id);
      await connect(again.id);
      expect(await shown(again.id)).to.include({ attach_mode: 'rw' });
      const missing = await ask(world, 'alice', 'GET', `/attachments/${attachment}`).expect(404);
      expect(messageOf(missing)).to.contain(`attachment_id = ${attachment}`);
    });
  });
});
