// Tests of attachments, and of the actions of volumes: extend, reset, retype, upload and the
// others.
import { expect } from 'chai';
import { transact } from '../../../src/kernel/db/transaction.ts';
import type { Context } from '../../../src/kernel/model.ts';
import { anonymous, systemContext, contextWith } from '../../../src/kernel/context.ts';
import {
  attachToServer,
  createReadyVolume,
  deleteWithServer,
  detachFromServer,
  volumeFor,
} from '../../../src/services/volume/index.ts';
import { cirrosId } from '../../../src/services/image/index.ts';
import { noon, onEachDatabase } from '../../support/cloud.ts';
import { act, ask, makeSnapshot, makeType, makeVolume, newest, said, volume } from './support.ts';

const server = '5c1f8b60-0000-4000-8000-00000000000a';
const other = '5c1f8b60-0000-4000-8000-00000000000b';

onEachDatabase('what is done with volumes', { auth: 'noauth2' }, (world) => {
  const status = async (id: string): Promise<unknown> => (await volume(world, id))['status'];

  describe('the old way of attaching', () => {
    it('reserves, attaches, begins to detach, and detaches', async () => {
      const id = await makeVolume(world, 'alice');
      await act(world, 'alice', id, { 'os-reserve': {} }).expect(202);
      expect(await status(id)).to.equal('attaching');
      expect(said(await act(world, 'alice', id, { 'os-reserve': {} }).expect(400))).to.contain(
        'Volume status must be available to reserve',
      );
      await act(world, 'alice', id, { 'os-unreserve': null }).expect(202);
      expect(await status(id)).to.equal('available');
      const { body } = await act(world, 'alice', id, {
        'os-initialize_connection': { connector: { host: 'h' } },
      }).expect(200);
      expect(body.connection_info).to.include({
        driver_volume_type: 'iscsi',
        volume_id: id,
        enforce_multipath: false,
      });
      await act(world, 'alice', id, {
        'os-attach': { instance_uuid: server, mountpoint: '/dev/vdb', host_name: 'h' },
      }).expect(202);
      const attached = await volume(world, id);
      expect(attached).to.deep.include({
        status: 'in-use',
        metadata: { readonly: 'False', attached_mode: 'rw' },
      });
      expect(attached['attachments']).to.have.length(1);
      expect((attached['attachments'] as object[])[0]).to.include({
        server_id: server,
        device: '/dev/vdb',
        host_name: null,
        volume_id: id,
      });
      await act(world, 'alice', id, { 'os-begin_detaching': {} }).expect(202);
      expect(await status(id)).to.equal('detaching');
      await act(world, 'alice', id, { 'os-roll_detaching': {} }).expect(202);
      await act(world, 'alice', id, { 'os-terminate_connection': { connector: null } }).expect(202);
      await act(world, 'alice', id, { 'os-detach': {} }).expect(202);
      expect(await volume(world, id)).to.deep.include({ status: 'available', attachments: [] });
      expect(
        said(await act(world, 'alice', id, { 'os-begin_detaching': {} }).expect(400)),
      ).to.contain('Unable to detach volume.');
    });

    it('keeps what is only to be read, and what is attached once', async () => {
      const id = await makeVolume(world, 'alice');
      await act(world, 'alice', id, { 'os-update_readonly_flag': { readonly: 'true' } }).expect(
        202,
      );
      const attach = (mode: string, instance_uuid = server) =>
        act(world, 'alice', id, { 'os-attach': { instance_uuid, mountpoint: '/dev/vdb', mode } });
      expect(said(await attach('rw').expect(400))).to.equal(
        `Invalid attaching mode 'rw' for volume ${id}.`,
      );
      await attach('ro').expect(202);
      expect(said(await attach('ro', other).expect(400))).to.contain(
        'multiple attachments are not enabled',
      );
      expect((await volume(world, id))['metadata']).to.deep.equal({
        readonly: 'True',
        attached_mode: 'ro',
      });
      await act(world, 'alice', id, { 'os-update_readonly_flag': { readonly: false } }).expect(400);
    });
  });

  describe('the attachments API', () => {
    const create = (id: string, fields: object = {}, who: 'alice' | 'service' = 'alice') =>
      ask(world, who, 'POST', '/attachments', {
        body: { attachment: { volume_uuid: id, instance_uuid: server, ...fields } },
      });

    it('reserves, connects, completes, and lets go', async () => {
      const id = await makeVolume(world, 'alice');
      const made = (await create(id, { mode: 'ro' }).expect(200)).body.attachment as { id: string };
      expect(made).to.deep.include({
        status: 'reserved',
        volume_id: id,
        instance: server,
        attach_mode: 'ro',
        connection_info: {},
        attached_at: '',
      });
      expect(await status(id)).to.equal('reserved');
      expect(said(await create(id, { instance_uuid: other }).expect(400))).to.contain(
        'status must be available or downloading to reserve',
      );
      const connector = { host: 'h', mountpoint: '/dev/vdc', ip: '10.0.0.1' };
      const updated = await ask(world, 'alice', 'PUT', `/attachments/${made.id}`, {
        body: { attachment: { connector } },
      }).expect(200);
      expect(updated.body.attachment).to.include({ status: 'attaching' });
      expect(updated.body.attachment.connection_info).to.include({
        volume_id: id,
        access_mode: 'ro',
        attachment_id: made.id,
      });
      await ask(world, 'alice', 'POST', `/attachments/${made.id}/action`, {
        body: { 'os-complete': {} },
      }).expect(204);
      const used = await volume(world, id);
      expect(used).to.include({ status: 'in-use' });
      expect((used['attachments'] as object[])[0]).to.include({
        attachment_id: made.id,
        device: '/dev/vdc',
        server_id: server,
      });
      const list = await ask(
        world,
        'alice',
        'GET',
        `/attachments?instance_id=${server}&status=attached`,
      ).expect(200);
      expect(list.body.attachments).to.deep.equal([
        { id: made.id, status: 'attached', instance: server, volume_id: id },
      ]);
      expect(
        (await ask(world, 'alice', 'GET', `/attachments/detail?instance_id=${other}`)).body
          .attachments,
      ).to.deep.equal([]);
      await ask(world, 'bob', 'GET', `/attachments/${made.id}`).expect(404);
      expect(
        (await ask(world, 'alice', 'DELETE', `/attachments/${made.id}`).expect(200)).body,
      ).to.deep.equal({
        attachments: [],
      });
      expect(await status(id)).to.equal('available');
      expect(
        said(await ask(world, 'alice', 'GET', `/attachments/${made.id}`).expect(404)),
      ).to.contain(`attachment_id = ${made.id}`);
    });

    it('connects at once, and gives volumes of a type for it to several servers', async () => {
      await makeType(world, { name: 'many', extra_specs: { multiattach: '<is> True' } });
      const id = await makeVolume(world, 'alice', { volume_type: 'many' });
      const connector = { host: 'h', mountpoint: '/dev/vdb' };
      const first = (await create(id, { connector })).body.attachment as { id: string };
      await ask(world, 'alice', 'POST', `/attachments/${first.id}/action`, {
        body: { 'os-complete': {} },
      }).expect(204);
      const second = (
        await create(id, { connector: { ...connector, host: 'i' }, instance_uuid: other }).expect(
          200,
        )
      ).body.attachment as { id: string };
      await ask(world, 'alice', 'DELETE', `/attachments/${second.id}`).expect(200);
      expect(await status(id)).to.equal('in-use');
    });

    it('is there from 3.27 on, completing from 3.44 on, and a mode from 3.54 on', async () => {
      const id = await makeVolume(world, 'alice');
      const body = { attachment: { volume_uuid: id, mode: 'rw' } };
      await ask(world, 'alice', 'POST', '/attachments', { version: '3.26', body }).expect(404);
      await ask(world, 'alice', 'POST', '/attachments', { version: '3.53', body }).expect(400);
      await ask(world, 'alice', 'POST', '/attachments', { version: '3.54', body }).expect(200);
      await ask(world, 'alice', 'POST', '/attachments/x/action', {
        version: '3.43',
        body: { 'os-complete': {} },
      }).expect(404);
    });
  });

  describe('growing', () => {
    const extend = (id: string, size: unknown, version = newest) =>
      act(world, 'alice', id, { 'os-extend': { new_size: size } }, version);

    it('makes a volume larger, within the quota; in use only from 3.42 on', async () => {
      const id = await makeVolume(world, 'alice', { size: 2 });
      await extend(id, 4).expect(202);
      expect(await volume(world, id)).to.include({ size: 4, status: 'available' });
      expect(said(await extend(id, 4).expect(400))).to.contain(
        'New size for extend must be greater than current size. (current: 4, extended: 4).',
      );
      await extend(id, 'x').expect(400);
      await extend(id, 1001).expect(413);
      await act(world, 'alice', id, {
        'os-attach': { instance_uuid: server, mountpoint: '/dev/vdb' },
      }).expect(202);
      await extend(id, 5, '3.41').expect(400);
      await extend(id, 5).expect(202);
      expect(await volume(world, id)).to.include({ size: 5, status: 'in-use' });
    });
  });

  describe('other actions', () => {
    it('are refused where there is no such one', async () => {
      const id = await makeVolume(world, 'alice');
      expect(said(await act(world, 'alice', id, { 'os-dance': {} }).expect(400))).to.equal(
        'There is no such action: os-dance',
      );
      await act(world, 'alice', id, {}).expect(400);
      await act(world, 'alice', id, { revert: { snapshot_id: null } }, '3.39').expect(404);
    });

    it('set what is bootable, and what is known of the image', async () => {
      const id = await makeVolume(world, 'alice');
      await act(world, 'alice', id, { 'os-set_bootable': { bootable: 'True' } }).expect(200);
      const set = await act(world, 'alice', id, {
        'os-set_image_metadata': { metadata: { a: 'b', c: 'd' } },
      }).expect(200);
      expect(set.body).to.deep.equal({ metadata: { a: 'b', c: 'd' } });
      await act(world, 'alice', id, { 'os-unset_image_metadata': { key: 'a' } }).expect(200);
      expect(
        (await act(world, 'alice', id, { 'os-show_image_metadata': {} }).expect(200)).body,
      ).to.deep.equal({
        metadata: { c: 'd' },
      });
      expect(await volume(world, id)).to.deep.include({
        bootable: 'true',
        volume_image_metadata: { c: 'd' },
      });
      await act(world, 'alice', id, { 'os-unset_image_metadata': { key: 'a' } }).expect(400);
    });

    it('reset the status, for administrators', async () => {
      const id = await makeVolume(world, 'alice');
      const reset = (fields: object, who: 'admin' | 'alice' = 'admin') =>
        act(world, who, id, { 'os-reset_status': fields });
      await reset({ status: 'error' }, 'alice').expect(403);
      await reset({ status: 'ERROR' }).expect(202);
      expect(await status(id)).to.equal('error');
      expect(said(await reset({ status: 'x' }).expect(400))).to.contain(
        'Volume status: x is invalid',
      );
      expect(said(await reset({}).expect(400))).to.contain("Must specify 'status'");
      expect(said(await reset({ status: 'in-use' }).expect(400))).to.contain(
        'does not have any attachments',
      );
      await reset({ status: 'available' }).expect(202);
      await act(world, 'alice', id, {
        'os-attach': { instance_uuid: server, mountpoint: '/dev/vdb' },
      }).expect(202);
      await reset({ attach_status: 'detached', migration_status: 'success' }).expect(202);
      expect(await volume(world, id, 'admin')).to.deep.include({
        status: 'available',
        attachments: [],
        migration_status: 'success',
      });
      await act(world, 'alice', id, {
        'os-attach': { instance_uuid: server, mountpoint: '/dev/vdb' },
      }).expect(202);
      await reset({ status: 'error' }).expect(202);
      await act(world, 'admin', id, { 'os-force_detach': { connector: null } }).expect(202);
      expect(await volume(world, id)).to.deep.include({ status: 'available', attachments: [] });
      await act(world, 'admin', id, { 'os-force_delete': {} }).expect(202);
      await ask(world, 'alice', 'GET', `/volumes/${id}`).expect(404);
    });

    it('give a volume another type', async () => {
      const id = await makeVolume(world, 'alice');
      await act(world, 'alice', id, {
        'os-retype': { new_type: '__DEFAULT__', migration_policy: 'never' },
      }).expect(202);
      expect(await volume(world, id)).to.include({ volume_type: '__DEFAULT__' });
      await act(world, 'alice', id, { 'os-retype': { new_type: '__DEFAULT__' } }).expect(400);
      await act(world, 'alice', id, { 'os-retype': { new_type: 'none' } }).expect(404);
    });

    it('write a volume back to its latest snapshot', async () => {
      const id = await makeVolume(world, 'alice');
      const old = await makeSnapshot(world, 'alice', id);
      await world.setTime('2026-11-20T12:00:01Z');
      const latest = await makeSnapshot(world, 'alice', id);
      const revert = (snapshot_id: string) => act(world, 'alice', id, { revert: { snapshot_id } });
      expect(said(await revert(old).expect(400))).to.contain('not the latest one');
      await revert(latest).expect(202);
      expect(await status(id)).to.equal('available');
      expect((await ask(world, 'alice', 'GET', `/snapshots/${latest}`)).body.snapshot).to.include({
        status: 'available',
      });
    });

    it('make an image of a volume', async () => {
      const id = await makeVolume(world, 'alice', { size: 3 });
      const upload = (fields: object = {}) =>
        act(world, 'alice', id, { 'os-volume_upload_image': { image_name: 'i', ...fields } });
      expect(said(await upload({ visibility: 'public' }).expect(403))).to.contain('upload_public');
      const { body } = await upload({ disk_format: 'qcow2' }).expect(202);
      const made = body['os-volume_upload_image'] as { image_id: string };
      expect(made).to.include({
        id,
        status: 'uploading',
        size: 3,
        disk_format: 'qcow2',
        visibility: 'private',
        protected: false,
      });
      expect(await status(id)).to.equal('available');
      const image = await world
        .ask('image', 'GET', `/image/v2/images/${made.image_id}`)
        .expect(200);
      expect(image.body).to.include({
        name: 'i',
        owner: 'b1',
        status: 'active',
        min_disk: 3,
        size: 3 * 1024 ** 3,
      });
      const range = { range: 'bytes=0-9' };
      const data = await world
        .ask('image', 'GET', `/image/v2/images/${made.image_id}/file`, { headers: range })
        .expect(206);
      expect(data.headers['content-range']).to.equal(`bytes 0-9/${3 * 1024 ** 3}`);
      expect(data.body).to.deep.equal(Buffer.alloc(10));
    });

    it('make an image with the properties of the image that the volume was made of', async () => {
      const id = await makeVolume(world, 'alice', { imageRef: cirrosId });
      await act(world, 'alice', id, {
        'os-set_image_metadata': { metadata: { os_distro: 'cirros' } },
      }).expect(200);
      const { body } = await act(world, 'alice', id, {
        'os-volume_upload_image': { image_name: 'i' },
      }).expect(202);
      const { image_id: made } = (body as { 'os-volume_upload_image': { image_id: string } })[
        'os-volume_upload_image'
      ];
      const image = await world.ask('image', 'GET', `/image/v2/images/${made}`).expect(200);
      expect(image.body).to.include({ os_distro: 'cirros', size: 1024 ** 3 });
      expect(image.body).to.not.have.any.keys('image_id', 'image_name');
    });

    it('write another image over a volume, since 3.68', async () => {
      const id = await makeVolume(world, 'alice');
      const reimage = (image_id: string, fields: object = {}, version = newest) =>
        act(world, 'alice', id, { 'os-reimage': { image_id, ...fields } }, version);
      await reimage(cirrosId, {}, '3.67').expect(404);
      expect(said(await reimage(other).expect(404))).to.equal(`Image ${other} could not be found.`);
      await reimage(cirrosId).expect(202);
      const shown = await volume(world, id);
      expect(shown).to.include({ status: 'available', bootable: 'true' });
      expect(shown['volume_image_metadata']).to.include({ image_id: cirrosId });
      await ask(world, 'alice', 'POST', '/attachments', {
        body: { attachment: { volume_uuid: id, instance_uuid: server } },
      }).expect(200);
      expect(said(await reimage(cirrosId).expect(400))).to.equal(
        `Invalid volume: Volume ${id} status must be available or error, but current status is reserved.`,
      );
      await reimage(cirrosId, { reimage_reserved: true }).expect(202);
      expect(await status(id)).to.equal('reserved');
    });
  });

  it('Compute makes, attaches, detaches and deletes volumes in process', async () => {
    const { cloud } = world;
    const region = cloud.firstRegion;
    const actor = { ...anonymous, projectId: 'b1', userId: 'alice' };
    const asCompute = <T>(run: (context: Context) => Promise<T>): Promise<T> =>
      transact(region.database.db, (trx) =>
        run(contextWith(systemContext(cloud, region, trx, noon), { actor })),
      );
    const made = await asCompute((context) =>
      createReadyVolume(context, { size: 1, imageId: cirrosId, name: 'root' }),
    );
    expect(made).to.include({ status: 'available', bootable: true });
    const place = { instanceUuid: server, host: 'h', mountpoint: '/dev/vda' };
    const attachment = await asCompute(async (context) =>
      attachToServer(context, await volumeFor(context, made.id), place),
    );
    expect(await volume(world, made.id)).to.include({ status: 'in-use' });
    const refused = await ask(world, 'alice', 'DELETE', `/attachments/${attachment.id}`).expect(
      409,
    );
    expect(said(refused)).to.equal(`Detach volume from instance ${server} using the Compute API`);
    const ended = await act(world, 'alice', made.id, {
      'os-terminate_connection': { connector: {} },
    }).expect(409);
    expect(said(ended)).to.equal(`Detach volume from instance ${server} using the Compute API`);
    await act(world, 'service', made.id, { 'os-terminate_connection': { connector: {} } }).expect(
      202,
    );
    await asCompute((context) => deleteWithServer(context, made.id));
    expect(await status(made.id)).to.equal('in-use');
    await asCompute((context) => detachFromServer(context, attachment.id));
    expect(await status(made.id)).to.equal('available');
    await asCompute((context) => deleteWithServer(context, made.id));
    world.cloud.firstRegion.jobs.wake();
    await ask(world, 'alice', 'GET', `/volumes/${made.id}`).expect(404);
  });
});
