// Tests backups of volumes.
import { expect } from 'chai';
import type supertest from 'supertest';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  act,
  ask,
  askAsAdmin,
  attach,
  createSnapshot,
  createVolume,
  messageOf,
  volume,
  type Person,
} from './support.ts';

onEachDatabase('backups', { auth: 'noauth2' }, (world) => {
  type Fields = Record<string, unknown>;
  const post = (fields: object, who: Person = 'alice'): supertest.Test =>
    ask(world, who, 'POST', '/backups', { body: { backup: fields } });
  /** Creates a backup, which is available by the next request. @returns its id */
  const createBackup = async (volumeId: string, fields: object = {}): Promise<string> =>
    (await post({ volume_id: volumeId, name: 'b', ...fields }).expect(202)).body.backup.id;
  const backup = async (id: string, who: Person = 'alice'): Promise<Fields> =>
    (await ask(world, who, 'GET', `/backups/${id}`).expect(200)).body.backup;
  const restore = (id: string, fields: object = {}): supertest.Test =>
    ask(world, 'alice', 'POST', `/backups/${id}/restore`, { body: { restore: fields } });
  const setStatus = (id: string, status: string): supertest.Test =>
    askAsAdmin(world, 'POST', `/backups/${id}/action`, { 'os-reset_status': { status } });
  const passTime = (seconds: number): supertest.Test =>
    world.http.post('/_emulator/clock/advance').send({ seconds }).expect(200);
  const backupService = { binary: 'cinder-backup', host: 'cumulet' };

  describe('POST /backups', () => {
    it('creates a backup of a volume', async () => {
      const source = await createVolume(world, 'alice', { size: 2 });
      const id = await createBackup(source, { description: 'd', metadata: { a: 'b' } });
      expect(await backup(id, 'admin')).to.deep.include({
        id,
        name: 'b',
        description: 'd',
        volume_id: source,
        snapshot_id: null,
        size: 2,
        status: 'available',
        fail_reason: null,
        is_incremental: false,
        has_dependent_backups: false,
        object_count: 2,
        container: `${id.slice(0, 2)}/${id.slice(2, 4)}/${id}`,
        availability_zone: 'nova',
        created_at: '2026-11-20T12:00:00.000000',
        data_timestamp: '2026-11-20T12:00:00.000000',
        metadata: { a: 'b' },
        'os-backup-project-attr:project_id': 'b1',
        user_id: 'alice',
      });
      expect(await volume(world, source)).to.include({ status: 'available' });
      expect(await backup(id)).not.to.have.any.keys('os-backup-project-attr:project_id', 'user_id');
    });

    it('backs up a volume in use only by force, and gives it its status back', async () => {
      const source = await createVolume(world, 'alice');
      await attach(world, source);
      expect(messageOf(await post({ volume_id: source }).expect(400))).to.equal(
        'Invalid volume: Backing up an in-use volume must use the force flag.',
      );
      await createBackup(source, { force: true });
      expect(await volume(world, source)).to.include({ status: 'in-use' });
    });

    it('builds an incremental backup on the latest available one', async () => {
      const source = await createVolume(world, 'alice');
      const incremental = { incremental: true };
      expect(messageOf(await post({ volume_id: source, ...incremental }).expect(400))).to.equal(
        'Invalid backup: No backups available to do an incremental backup.',
      );
      const first = await createBackup(source);
      await passTime(60);
      const second = await createBackup(source, incremental);
      expect(await backup(second)).to.include({ is_incremental: true, object_count: 0 });
      expect(await backup(first)).to.include({ has_dependent_backups: true });
      await passTime(60);
      const third = await createBackup(source, incremental);
      const children = await askAsAdmin(
        world,
        'GET',
        `/backups?all_tenants=1&parent_id=${second}`,
      ).expect(200);
      expect((children.body.backups as Fields[]).map(({ id }) => id)).to.deep.equal([third]);
    });

    it('backs up a snapshot, and builds on what is older than that', async () => {
      const source = await createVolume(world, 'alice');
      const early = await createBackup(source);
      await passTime(60);
      const snapshot = await createSnapshot(world, 'alice', source);
      await passTime(60);
      await createBackup(source);
      const id = await createBackup(source, { snapshot_id: snapshot, incremental: true });
      expect(await backup(id)).to.include({
        snapshot_id: snapshot,
        data_timestamp: '2026-11-20T12:01:00.000000',
        is_incremental: true,
      });
      expect(await backup(early)).to.include({ has_dependent_backups: true });
      const other = await createVolume(world, 'alice');
      expect(
        messageOf(await post({ volume_id: other, snapshot_id: snapshot }).expect(400)),
      ).to.equal(
        `Invalid volume: Volume ${other} does not match with snapshot.volume_id ${source}.`,
      );
    });

    it('returns 400 for a source in another status', async () => {
      const source = await createVolume(world, 'alice');
      const snapshot = await createSnapshot(world, 'alice', source);
      await askAsAdmin(world, 'POST', `/snapshots/${snapshot}/action`, {
        'os-reset_status': { status: 'error' },
      }).expect(202);
      expect(
        messageOf(await post({ volume_id: source, snapshot_id: snapshot }).expect(400)),
      ).to.equal(
        'Invalid snapshot: Snapshot to be backed up must be available, but the current status ' +
          'is "error".',
      );
      await act(world, 'admin', source, { 'os-reset_status': { status: 'error' } }).expect(202);
      expect(messageOf(await post({ volume_id: source }).expect(400))).to.equal(
        'Invalid volume: Volume to be backed up must be available or in-use, but the current ' +
          'status is "error".',
      );
    });

    it('returns 413 beyond the quotas of backups and of gigabytes', async () => {
      const source = await createVolume(world, 'alice', { size: 2 });
      await createBackup(source);
      const limit = (quota_set: object): supertest.Test =>
        askAsAdmin(world, 'PUT', '/os-quota-sets/b1', { quota_set }).expect(200);
      await limit({ backups: 1 });
      expect(messageOf(await post({ volume_id: source }).expect(413))).to.equal(
        'Maximum number of backups allowed (1) exceeded',
      );
      await limit({ backups: -1, backup_gigabytes: 3 });
      expect(messageOf(await post({ volume_id: source }).expect(413))).to.equal(
        'Requested backup exceeds allowed Backup gigabytes quota. Requested 2G, quota is 3G and ' +
          '2G has been consumed.',
      );
      const { absolute } = (await ask(world, 'alice', 'GET', '/limits').expect(200)).body.limits;
      expect(absolute).to.include({ totalBackupsUsed: 1, totalBackupGigabytesUsed: 2 });
    });

    it('ends in error without a service: disabled, or in another zone', async () => {
      const source = await createVolume(world, 'alice');
      const elsewhere = await createBackup(source, { availability_zone: 'mars' });
      const fail_reason = 'Service not found for creating backup.';
      expect(await backup(elsewhere)).to.include({ status: 'error', fail_reason });
      expect(await volume(world, source)).to.include({ status: 'available' });
      await askAsAdmin(world, 'PUT', '/os-services/disable', backupService).expect(200);
      const id = await createBackup(source);
      expect(await backup(id)).to.include({ status: 'error', fail_reason });
      const messages = await ask(world, 'alice', 'GET', `/messages?resource_uuid=${id}`);
      expect(messages.body.messages[0]).to.include({
        resource_type: 'VOLUME_BACKUP',
        event_id: 'VOLUME_VOLUME_BACKUP_013_024',
      });
      const refused = await ask(world, 'alice', 'DELETE', `/backups/${id}`).expect(404);
      expect(messageOf(refused)).to.equal('Service cinder-backup could not be found.');
    });

    it('returns 403 for readers, 404 for other projects, and 400 for later fields', async () => {
      const source = await createVolume(world, 'alice');
      await post({ volume_id: source }, 'reader').expect(403);
      await post({ volume_id: source }, 'bob').expect(404);
      await ask(world, 'alice', 'POST', '/backups', {
        body: { backup: { volume_id: source, metadata: { a: 'b' } } },
        version: '3.42',
      }).expect(400);
    });
  });

  describe('GET /backups', () => {
    it('filters, sorts, pages and counts', async () => {
      const [one, two] = [await createVolume(world, 'alice'), await createVolume(world, 'alice')];
      for (const name of ['b', 'c']) await createBackup(one, { name });
      await createBackup(two, { name: 'a' });
      const names = async (query: string, who: Person = 'alice'): Promise<unknown[]> => {
        const reply = await ask(world, who, 'GET', `/backups/detail${query}`).expect(200);
        return (reply.body.backups as Fields[]).map(({ name }) => name);
      };
      expect(await names('?sort=name:asc')).to.deep.equal(['a', 'b', 'c']);
      expect(await names(`?volume_id=${one}&sort=name:desc`)).to.deep.equal(['c', 'b']);
      expect(await names('?name=a&status=available')).to.deep.equal(['a']);
      expect(await names('', 'bob')).to.deep.equal([]);
      expect(await names('?all_tenants=1&sort=name:asc', 'admin')).to.deep.equal(['a', 'b', 'c']);
      const page = await ask(world, 'alice', 'GET', '/backups?limit=1&with_count=1').expect(200);
      expect(page.body.count).to.equal(3);
      expect(page.body.backups_links[0].href).to.contain('/backups?limit=1&with_count=1&marker=');
      await ask(world, 'alice', 'GET', '/backups?sort=name:asc', { version: '3.36' }).expect(400);
      await ask(world, 'alice', 'GET', '/backups?size=1').expect(400);
      const refused = await askAsAdmin(world, 'GET', '/backups?all_tenants=x').expect(400);
      expect(messageOf(refused)).to.equal("all_tenants must be a boolean, got 'x'.");
    });
  });

  describe('PUT /backups/{id}', () => {
    it('changes texts from 3.9 on, and replaces the metadata from 3.43 on', async () => {
      const id = await createBackup(await createVolume(world, 'alice'), { metadata: { a: 'b' } });
      const put = (fields: object, version?: string): supertest.Test =>
        ask(world, 'alice', 'PUT', `/backups/${id}`, {
          body: { backup: fields },
          ...(version ? { version } : {}),
        });
      await put({ name: 'x' }, '3.8').expect(404);
      const reply = await put({ name: ' new ', metadata: { c: 'd' } }).expect(200);
      expect(reply.body.backup).to.include({ id, name: 'new' });
      expect(await backup(id)).to.deep.include({ name: 'new', metadata: { c: 'd' } });
      await put({ metadata: {} }, '3.42').expect(400);
    });
  });

  describe('DELETE /backups/{id}', () => {
    it('deletes a backup after those that build on it', async () => {
      const source = await createVolume(world, 'alice');
      const first = await createBackup(source);
      const second = await createBackup(source, { incremental: true });
      const remove = (id: string): supertest.Test =>
        ask(world, 'alice', 'DELETE', `/backups/${id}`);
      expect(messageOf(await remove(first).expect(400))).to.equal(
        'Invalid backup: Incremental backups exist for this backup.',
      );
      await remove(second).expect(202);
      await remove(first).expect(202);
      expect(messageOf(await remove(first).expect(404))).to.equal(
        `Backup ${first} could not be found.`,
      );
    });

    it('outlives its volume', async () => {
      const source = await createVolume(world, 'alice');
      const id = await createBackup(source);
      await ask(world, 'alice', 'DELETE', `/volumes/${source}`).expect(202);
      expect(await backup(id)).to.include({ volume_id: source, status: 'available' });
    });
  });

  describe('POST /backups/{id}/restore', () => {
    it('restores to a new volume, with the name, metadata and image of the original', async () => {
      const source = await createVolume(world, 'alice', { name: 'data', metadata: { a: 'b' } });
      await act(world, 'alice', source, {
        'os-set_image_metadata': { metadata: { image_name: 'cirros' } },
      }).expect(200);
      const id = await createBackup(source);
      const reply = await restore(id).expect(202);
      const { volume_id: restored, ...rest } = reply.body.restore;
      expect(rest).to.deep.equal({ backup_id: id, volume_name: `restore_backup_${id}` });
      expect(await volume(world, restored)).to.deep.include({
        name: 'data',
        status: 'available',
        bootable: 'true',
        metadata: { a: 'b', src_backup_id: id },
        volume_image_metadata: { image_name: 'cirros' },
      });
      expect(await backup(id)).to.include({ status: 'available' });
    });

    it('restores to the same volume, and to another that keeps its name', async () => {
      const source = await createVolume(world, 'alice', { name: 'data', metadata: { a: 'b' } });
      const id = await createBackup(source);
      await ask(world, 'alice', 'PUT', `/volumes/${source}/metadata`, {
        body: { metadata: { a: 'c', d: 'e' } },
      }).expect(200);
      await restore(id, { volume_id: source }).expect(202);
      expect(await volume(world, source)).to.deep.include({ metadata: { a: 'b', d: 'e' } });
      const other = await createVolume(world, 'alice', { name: 'other' });
      await restore(id, { volume_id: other }).expect(202);
      expect(await volume(world, other)).to.deep.include({
        name: 'other',
        metadata: { a: 'b', src_backup_id: id },
      });
    });

    it('returns 400 for what does not fit, and for other statuses', async () => {
      const id = await createBackup(await createVolume(world, 'alice', { size: 2 }));
      const small = await createVolume(world, 'alice');
      expect(messageOf(await restore(id, { volume_id: small }).expect(400))).to.equal(
        'Invalid volume: volume size 1 is too small to restore backup of size 2.',
      );
      const used = await createVolume(world, 'alice', { size: 2 });
      await attach(world, used);
      expect(messageOf(await restore(id, { volume_id: used }).expect(400))).to.equal(
        'Invalid volume: Volume to be restored to must be available',
      );
      await setStatus(id, 'error').expect(202);
      expect(messageOf(await restore(id).expect(400))).to.equal(
        'Invalid backup: Backup status must be available',
      );
    });

    it('returns 413 beyond the quota of volumes', async () => {
      const id = await createBackup(await createVolume(world, 'alice'));
      await askAsAdmin(world, 'PUT', '/os-quota-sets/b1', { quota_set: { volumes: 1 } });
      await restore(id).expect(413);
    });
  });

  describe('POST /volumes with backup_id', () => {
    it('creates a volume from a backup', async () => {
      const id = await createBackup(await createVolume(world, 'alice', { name: 'v', size: 2 }));
      const created = await createVolume(world, 'alice', { name: 'w', size: null, backup_id: id });
      expect(await volume(world, created)).to.deep.include({
        name: 'w',
        size: 2,
        status: 'available',
        metadata: { src_backup_id: id },
      });
      const smaller = await ask(world, 'alice', 'POST', '/volumes', {
        body: { volume: { size: 1, backup_id: id } },
      }).expect(400);
      expect(messageOf(smaller)).to.contain('cannot be smaller than the backup size 2GB');
      await setStatus(id, 'error').expect(202);
      const refused = await ask(world, 'alice', 'POST', '/volumes', {
        body: { volume: { size: 2, backup_id: id } },
      }).expect(400);
      expect(messageOf(refused)).to.equal(
        "Invalid backup: Originating backup status must be one of 'available' values",
      );
    });
  });

  describe('records', () => {
    interface BackupRecord {
      backup_service: string;
      backup_url: string;
    }
    const exported = async (id: string): Promise<BackupRecord> =>
      (await askAsAdmin(world, 'GET', `/backups/${id}/export_record`).expect(200)).body[
        'backup-record'
      ];
    const importing = (record: BackupRecord): supertest.Test =>
      askAsAdmin(world, 'POST', '/backups/import_record', { 'backup-record': record });
    const urlOf = (record: object): string =>
      Buffer.from(JSON.stringify(record)).toString('base64');
    const id = 'f6b1e0c2-0000-4000-8000-000000000001';

    it('exports a record, from which a deleted backup is imported and restored', async () => {
      const source = await createVolume(world, 'alice', { name: 'data', size: 2 });
      const original = await createBackup(source, { metadata: { a: 'b' } });
      const before = await backup(original, 'admin');
      const record = await exported(original);
      expect(record.backup_service).to.equal('cinder.backup.drivers.posix.PosixBackupDriver');
      expect(messageOf(await importing(record).expect(400))).to.equal(
        'Invalid backup: Backup already exists in database.',
      );
      await ask(world, 'alice', 'DELETE', `/backups/${original}`).expect(202);
      const reply = await importing(record).expect(201);
      expect(reply.body.backup).to.include({ id: original });
      const { name, size, container, object_count, volume_id, metadata } = before;
      expect(await backup(original, 'admin')).to.deep.include({
        name,
        size,
        container,
        object_count,
        volume_id,
        metadata,
        status: 'available',
      });
    });

    it('ends in error for an unknown driver, and for missing fields', async () => {
      await importing({ backup_service: 'tape', backup_url: urlOf({ id, size: 1 }) }).expect(201);
      expect(await backup(id, 'admin')).to.include({
        status: 'error',
        fail_reason:
          'Import record failed, cannot find backup service to perform the import. Request ' +
          'service tape.',
      });
      const other = id.replace(/1$/, '2');
      await importing({
        backup_service: 'cinder.backup',
        backup_url: urlOf({ id: other, size: 1 }),
      }).expect(201);
      expect((await backup(other, 'admin'))['fail_reason']).to.contain('missing fields');
    });

    it('returns 400 for what is no record', async () => {
      const refusal = async (url: string): Promise<string> =>
        messageOf(await importing({ backup_service: '', backup_url: url }).expect(400));
      expect(await refusal('!')).to.contain("'!' is not a 'base64'");
      expect(await refusal('AAAA')).to.equal("Invalid input received: Can't parse backup record.");
      expect(await refusal(urlOf({ size: 1 }))).to.equal(
        'Invalid input received: Provided backup record is missing an id',
      );
      expect(await refusal(urlOf({ id }))).to.equal(
        'Invalid input received: Provided backup record is missing size attribute',
      );
      expect(await refusal(urlOf({ id, size: 'x' }))).to.contain("Can't parse");
    });

    it('returns 403 for members, and 400 for a backup that is not available', async () => {
      const one = await createBackup(await createVolume(world, 'alice'));
      await ask(world, 'alice', 'GET', `/backups/${one}/export_record`).expect(403);
      await setStatus(one, 'error').expect(202);
      const refused = await askAsAdmin(world, 'GET', `/backups/${one}/export_record`).expect(400);
      expect(messageOf(refused)).to.equal(
        'Invalid backup: Backup status must be available and not error.',
      );
    });
  });

  describe('actions', () => {
    it('sets the status, and deletes by force', async () => {
      const id = await createBackup(await createVolume(world, 'alice'));
      await ask(world, 'alice', 'POST', `/backups/${id}/action`, {
        body: { 'os-reset_status': { status: 'error' } },
      }).expect(403);
      expect(messageOf(await setStatus(id, 'deleting').expect(400))).to.equal(
        "Backup status: deleting is invalid, valid statuses are: ['available', 'error'].",
      );
      await setStatus(id, 'ERROR').expect(202);
      expect(await backup(id)).to.include({ status: 'error' });
      await askAsAdmin(world, 'POST', `/backups/${id}/action`, { 'os-force_delete': {} }).expect(
        202,
      );
      await ask(world, 'alice', 'GET', `/backups/${id}`).expect(404);
    });
  });
});
