// Tests the actions of volumes.
import { expect } from 'chai';
import type supertest from 'supertest';
import { cirrosId } from '../../../../src/services/image/index.ts';
import { onEachDatabase } from '../../../support/cloud.ts';
import {
  act,
  ask,
  askAsAdmin,
  attach,
  createSnapshot,
  createType,
  createVolume,
  messageOf,
  newest,
  otherServer,
  server,
  volume,
  type Person,
} from '../support.ts';

onEachDatabase('POST /volumes/{id}/action', { auth: 'noauth2' }, (world) => {
  let id: string;
  const status = async (): Promise<unknown> => (await volume(world, id))['status'];
  const run = (action: object, version = newest): supertest.Test =>
    act(world, 'alice', id, action, version);

  beforeEach(async () => {
    id = await createVolume(world, 'alice', { size: 2 });
  });

  it('returns 400 for an unknown action, and for an empty body', async () => {
    expect(messageOf(await run({ 'os-dance': {} }).expect(400))).to.equal(
      'There is no such action: os-dance',
    );
    await run({}).expect(400);
  });

  describe('os-reserve and os-unreserve', () => {
    it('reserve a volume, and make it available again', async () => {
      await run({ 'os-reserve': {} }).expect(202);
      expect(await status()).to.equal('attaching');
      await run({ 'os-unreserve': null }).expect(202);
      expect(await status()).to.equal('available');
    });

    it('os-reserve returns 400 for a reserved volume', async () => {
      await run({ 'os-reserve': {} }).expect(202);
      expect(messageOf(await run({ 'os-reserve': {} }).expect(400))).to.contain(
        'Volume status must be available to reserve',
      );
    });
  });

  describe('os-initialize_connection', () => {
    it('returns the connection', async () => {
      const { body } = await run({
        'os-initialize_connection': { connector: { initiator: 'iqn', enforce_multipath: true } },
      }).expect(200);
      expect(body.connection_info).to.have.keys([
        'driver_volume_type',
        'data',
        'enforce_multipath',
      ]);
      expect(body.connection_info).to.include({
        driver_volume_type: 'iscsi',
        enforce_multipath: true,
      });
      expect(body.connection_info.data).to.include({
        target_iqn: `iqn.2010-10.org.openstack:volume-${id}`,
        volume_id: id,
        access_mode: 'rw',
        enforce_multipath: true,
      });
    });

    it('returns 400 for a connector without an initiator', async () => {
      const action = { 'os-initialize_connection': { connector: { host: 'h' } } };
      expect(messageOf(await run(action).expect(400))).to.equal(
        "Invalid input received: Connector doesn't have required information: initiator",
      );
    });
  });

  describe('os-attach', () => {
    it('attaches a volume in one step', async () => {
      await attach(world, id, { host_name: 'h' });
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
    });

    it('returns 400 for a second server', async () => {
      await attach(world, id);
      const action = { 'os-attach': { instance_uuid: otherServer, mountpoint: '/dev/vdb' } };
      expect(messageOf(await run(action).expect(400))).to.contain(
        'multiple attachments are not enabled',
      );
    });
  });

  it('attach a volume to a host of an administrator and detach it, as Terraform does', async () => {
    const connector = {
      host: 'devstack',
      ip: '192.168.255.10',
      initiator: 'iqn.1993-08.org.debian:01:e9861fb1859',
      os_type: 'linux2',
      platform: 'x86_64',
    };
    const asAdmin = (action: object): supertest.Test => act(world, 'admin', id, action);
    const { body } = await asAdmin({ 'os-initialize_connection': { connector } }).expect(200);
    expect(body.connection_info.data.target_iqn).to.be.a('string');
    await asAdmin({
      'os-attach': { host_name: 'devstack', mountpoint: 'auto', mode: 'rw' },
    }).expect(202);
    const attached = (await askAsAdmin(world, 'GET', `/volumes/${id}`).expect(200)).body.volume;
    expect(attached).to.include({ status: 'in-use' });
    const [attachment] = attached.attachments as Record<string, unknown>[];
    expect(attachment).to.include({ host_name: 'devstack', server_id: null, device: 'auto' });
    await asAdmin({ 'os-terminate_connection': { connector } }).expect(202);
    await asAdmin({ 'os-detach': { attachment_id: attachment!['attachment_id'] } }).expect(202);
    expect(await volume(world, id)).to.deep.include({
      status: 'available',
      attachments: [],
      metadata: { readonly: 'False' },
    });
  });

  describe('os-begin_detaching, os-roll_detaching, os-terminate_connection and os-detach', () => {
    it('detach a volume', async () => {
      await attach(world, id);
      await run({ 'os-begin_detaching': {} }).expect(202);
      expect(await status()).to.equal('detaching');
      await run({ 'os-roll_detaching': {} }).expect(202);
      expect(await status()).to.equal('in-use');
      await run({ 'os-terminate_connection': { connector: null } }).expect(202);
      await run({ 'os-detach': {} }).expect(202);
      expect(await volume(world, id)).to.deep.include({ status: 'available', attachments: [] });
    });

    it('os-begin_detaching returns 400 for an available volume', async () => {
      expect(messageOf(await run({ 'os-begin_detaching': {} }).expect(400))).to.contain(
        'Unable to detach volume.',
      );
    });
  });

  describe('os-update_readonly_flag', () => {
    it('restricts attachments to mode ro', async () => {
      await run({ 'os-update_readonly_flag': { readonly: 'true' } }).expect(202);
      const writing = { instance_uuid: server, mountpoint: '/dev/vdb', mode: 'rw' };
      expect(messageOf(await run({ 'os-attach': writing }).expect(400))).to.equal(
        `Invalid attaching mode 'rw' for volume ${id}.`,
      );
      await attach(world, id, { mode: 'ro' });
      expect((await volume(world, id))['metadata']).to.deep.equal({
        readonly: 'True',
        attached_mode: 'ro',
      });
    });

    it('returns 400 for a volume in use', async () => {
      await attach(world, id);
      await run({ 'os-update_readonly_flag': { readonly: false } }).expect(400);
    });
  });

  describe('os-extend', () => {
    const extend = (size: unknown, version = newest): supertest.Test =>
      run({ 'os-extend': { new_size: size } }, version);

    it('extends a volume', async () => {
      await extend(4).expect(202);
      expect(await volume(world, id)).to.include({ size: 4, status: 'available' });
    });

    it('returns 400 for a size that is not larger, or not a number', async () => {
      expect(messageOf(await extend(2).expect(400))).to.contain(
        'New size for extend must be greater than current size. (current: 2, extended: 2).',
      );
      await extend('x').expect(400);
    });

    it('returns 413 for a size beyond the quota', async () => {
      await extend(1001).expect(413);
    });

    it('extends a volume in use from 3.42 on, and returns 400 before', async () => {
      await attach(world, id);
      await extend(5, '3.41').expect(400);
      await extend(5).expect(202);
      expect(await volume(world, id)).to.include({ size: 5, status: 'in-use' });
    });
  });

  describe('os-set_bootable', () => {
    it('makes a volume bootable', async () => {
      await run({ 'os-set_bootable': { bootable: 'True' } }).expect(200);
      expect(await volume(world, id)).to.include({ bootable: 'true' });
    });
  });

  describe('os-set_image_metadata, os-show_image_metadata and os-unset_image_metadata', () => {
    it('change and show the image metadata', async () => {
      const set = await run({
        'os-set_image_metadata': { metadata: { a: 'b', c: 'd' } },
      }).expect(200);
      expect(set.body).to.deep.equal({ metadata: { a: 'b', c: 'd' } });
      await run({ 'os-unset_image_metadata': { key: 'a' } }).expect(200);
      expect((await run({ 'os-show_image_metadata': {} }).expect(200)).body).to.deep.equal({
        metadata: { c: 'd' },
      });
      expect(await volume(world, id)).to.deep.include({ volume_image_metadata: { c: 'd' } });
    });

    it('os-unset_image_metadata returns 400 for an unknown key', async () => {
      await run({ 'os-unset_image_metadata': { key: 'a' } }).expect(400);
    });
  });

  describe('os-reset_status', () => {
    const reset = (fields: object, who: Person = 'admin'): supertest.Test =>
      act(world, who, id, { 'os-reset_status': fields });

    it('sets the status, for administrators', async () => {
      await reset({ status: 'error' }, 'alice').expect(403);
      await reset({ status: 'ERROR' }).expect(202);
      expect(await status()).to.equal('error');
      await reset({ status: 'available' }).expect(202);
      expect(await status()).to.equal('available');
    });

    it('returns 400 for an invalid status', async () => {
      expect(messageOf(await reset({ status: 'x' }).expect(400))).to.contain(
        'Volume status: x is invalid',
      );
      expect(messageOf(await reset({}).expect(400))).to.contain("Must specify 'status'");
      expect(messageOf(await reset({ status: 'in-use' }).expect(400))).to.contain(
        'does not have any attachments',
      );
    });

    it('deletes the attachments for the attach status `detached`', async () => {
      await attach(world, id);
      await reset({ attach_status: 'detached', migration_status: 'success' }).expect(202);
      expect(await volume(world, id, 'admin')).to.deep.include({
        status: 'available',
        attachments: [],
        migration_status: 'success',
      });
    });
  });

  describe('os-force_detach and os-force_delete', () => {
    it('detach and delete a volume with an error status, for administrators', async () => {
      await attach(world, id);
      await act(world, 'admin', id, { 'os-reset_status': { status: 'error' } }).expect(202);
      await act(world, 'admin', id, { 'os-force_detach': { connector: null } }).expect(202);
      expect(await volume(world, id)).to.deep.include({ status: 'available', attachments: [] });
      await act(world, 'admin', id, { 'os-force_delete': {} }).expect(202);
      await ask(world, 'alice', 'GET', `/volumes/${id}`).expect(404);
    });
  });

  describe('os-retype', () => {
    const retype = (type: string, fields: object = {}): supertest.Test =>
      run({ 'os-retype': { new_type: type, ...fields } });

    it('changes the type, by name or id', async () => {
      await retype('__DEFAULT__', { migration_policy: 'never' }).expect(202);
      expect(await volume(world, id)).to.include({ volume_type: '__DEFAULT__' });
      const specs = { volume_backend_name: 'lvmdriver-1' };
      await retype(await createType(world, { name: 'good', extra_specs: specs })).expect(202);
      expect(await volume(world, id)).to.include({ status: 'available', volume_type: 'good' });
    });

    it('keeps the type if no backend matches the new one', async () => {
      await createType(world, { name: 'bad', extra_specs: { volume_backend_name: 'x' } });
      await retype('bad').expect(202);
      expect(await volume(world, id)).to.include({
        status: 'available',
        volume_type: 'lvmdriver-1',
      });
    });

    it('needs the migration policy `on-demand` for an encrypted type', async () => {
      const type = await createType(world, { name: 'secret' });
      await askAsAdmin(world, 'POST', `/types/${type}/encryption`, {
        encryption: { provider: 'luks', control_location: 'front-end' },
      });
      await retype('secret').expect(202);
      expect(await volume(world, id)).to.include({ volume_type: 'lvmdriver-1', encrypted: false });
      await retype('secret', { migration_policy: 'on-demand' }).expect(202);
      expect(await volume(world, id)).to.include({ volume_type: 'secret', encrypted: true });
    });

    it('returns 400 for the current type, and 404 for an unknown type', async () => {
      expect(messageOf(await retype('lvmdriver-1').expect(400))).to.contain(
        'requested type has to be different',
      );
      await retype('none').expect(404);
    });
  });

  describe('revert', () => {
    it('reverts a volume to its latest snapshot, and returns 400 for another', async () => {
      const old = await createSnapshot(world, 'alice', id);
      await world.setTime('2026-11-20T12:00:01Z');
      const latest = await createSnapshot(world, 'alice', id);
      const revert = (snapshot_id: string): supertest.Test => run({ revert: { snapshot_id } });
      expect(messageOf(await revert(old).expect(400))).to.contain('not the latest one');
      await revert(latest).expect(202);
      expect(await status()).to.equal('available');
      expect((await ask(world, 'alice', 'GET', `/snapshots/${latest}`)).body.snapshot).to.include({
        status: 'available',
      });
    });

    it('returns 404 before 3.40', async () => {
      await run({ revert: { snapshot_id: null } }, '3.39').expect(404);
    });
  });

  describe('os-volume_upload_image', () => {
    const upload = (fields: object = {}): supertest.Test =>
      run({ 'os-volume_upload_image': { image_name: 'i', ...fields } });
    const imageOf = (reply: supertest.Response): { image_id: string } =>
      (reply.body as { 'os-volume_upload_image': { image_id: string } })['os-volume_upload_image'];

    it('creates an active image of blank data', async () => {
      const uploaded = imageOf(await upload({ disk_format: 'qcow2' }).expect(202));
      expect(uploaded).to.include({
        id,
        status: 'uploading',
        size: 2,
        disk_format: 'qcow2',
        visibility: 'private',
        protected: false,
      });
      expect(await status()).to.equal('available');
      const path = `/image/v2/images/${uploaded.image_id}`;
      expect((await world.ask('image', 'GET', path).expect(200)).body).to.include({
        name: 'i',
        owner: 'b1',
        status: 'active',
        min_disk: 2,
        size: 2 * 1024 ** 3,
        checksum: 'a981130cf2b7e09f4686dc273cf7187e',
        os_hash_algo: 'sha512',
      });
      const headers = { range: 'bytes=0-9' };
      const data = await world.ask('image', 'GET', `${path}/file`, { headers }).expect(206);
      expect(data.headers['content-range']).to.equal(`bytes 0-9/${2 * 1024 ** 3}`);
      expect(data.body).to.deep.equal(Buffer.alloc(10));
    });

    it('gives the image the properties of the volume’s original image', async () => {
      id = await createVolume(world, 'alice', { imageRef: cirrosId });
      await run({ 'os-set_image_metadata': { metadata: { os_distro: 'cirros' } } }).expect(200);
      const path = `/image/v2/images/${imageOf(await upload().expect(202)).image_id}`;
      const image = await world.ask('image', 'GET', path).expect(200);
      expect(image.body).to.include({ os_distro: 'cirros', size: 1024 ** 3 });
      expect(image.body).to.not.have.any.keys('image_id', 'image_name');
    });

    it('returns 403 for a public image of a member', async () => {
      const refused = await upload({ visibility: 'public' }).expect(403);
      expect(messageOf(refused)).to.contain('upload_public');
    });
  });

  describe('os-reimage', () => {
    const reimage = (image_id: string, fields: object = {}, version = newest): supertest.Test =>
      run({ 'os-reimage': { image_id, ...fields } }, version);

    it('overwrites a volume with an image', async () => {
      await reimage(cirrosId).expect(202);
      const shown = await volume(world, id);
      expect(shown).to.include({ status: 'available', bootable: 'true' });
      expect(shown['volume_image_metadata']).to.include({ image_id: cirrosId });
    });

    it('returns 400 for a reserved volume without reimage_reserved', async () => {
      await ask(world, 'alice', 'POST', '/attachments', {
        body: { attachment: { volume_uuid: id, instance_uuid: server } },
      }).expect(200);
      expect(messageOf(await reimage(cirrosId).expect(400))).to.equal(
        `Invalid volume: Volume ${id} status must be available or error, but current status ` +
          'is reserved.',
      );
      await reimage(cirrosId, { reimage_reserved: true }).expect(202);
      expect(await status()).to.equal('reserved');
    });

    it('returns 404 for an unknown image, and before 3.68', async () => {
      await reimage(cirrosId, {}, '3.67').expect(404);
      expect(messageOf(await reimage(otherServer).expect(404))).to.equal(
        `Image ${otherServer} could not be found.`,
      );
    });
  });
});
