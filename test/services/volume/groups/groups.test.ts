// Tests groups of volumes.
import { expect } from 'chai';
import type supertest from 'supertest';
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
  volume,
} from '../support.ts';
import {
  createGroup,
  createGroupSnapshot,
  createGroupType,
  createVolumeIn,
  group,
} from './support.ts';

onEachDatabase('groups', { auth: 'noauth2' }, (world) => {
  /** Asks for a group of the type `gold`, which the test has created. */
  const post = (fields: object): supertest.Test =>
    ask(world, 'alice', 'POST', '/groups', {
      body: { group: { group_type: 'gold', volume_types: ['lvmdriver-1'], ...fields } },
    });
  const update = (id: string, fields: object): supertest.Test =>
    ask(world, 'alice', 'PUT', `/groups/${id}`, { body: { group: fields } });
  const actOn = (id: string, action: object): supertest.Test =>
    ask(world, 'alice', 'POST', `/groups/${id}/action`, { body: action });
  const setStatus = (id: string, status: string): supertest.Test =>
    askAsAdmin(world, 'POST', `/groups/${id}/action`, { reset_status: { status } }).expect(202);
  const fromSource = (fields: object): supertest.Test =>
    ask(world, 'alice', 'POST', '/groups/action', { body: { 'create-from-src': fields } });

  describe('POST /groups', () => {
    it('creates a group, which is available by the next request', async () => {
      const type = await createGroupType(world, { name: 'gold' });
      const id = await createGroup(world, 'alice', {
        name: ' g ',
        description: 'd',
        group_type: 'gold',
        volume_types: ['lvmdriver-1'],
      });
      const types = (await ask(world, 'alice', 'GET', '/types').expect(200)).body.volume_types;
      const { id: typeId } = (types as { id: string; name: string }[]).find(
        ({ name }) => name === 'lvmdriver-1',
      )!;
      expect(await group(world, id)).to.deep.equal({
        id,
        name: 'g',
        description: 'd',
        status: 'available',
        availability_zone: 'nova',
        created_at: '2026-11-20T12:00:00.000000',
        group_type: type,
        volume_types: [typeId],
        group_snapshot_id: null,
        source_group_id: null,
        volumes: [],
        replication_status: 'disabled',
        project_id: 'b1',
      });
    });

    it('shows what each microversion has', async () => {
      const id = await createGroup(world, 'alice');
      const shown = async (version: string): Promise<object> =>
        (await ask(world, 'alice', 'GET', `/groups/${id}?list_volume=1`, { version }).expect(200))
          .body.group;
      await ask(world, 'alice', 'GET', `/groups/${id}`, { version: '3.12' }).expect(404);
      expect(await shown('3.13')).not.to.have.any.keys('source_group_id', 'volumes');
      expect(await shown('3.24')).not.to.have.any.keys('volumes', 'replication_status');
      expect(await shown('3.38')).to.include.keys('source_group_id', 'volumes');
      expect(await shown('3.70')).to.include({ replication_status: 'disabled' });
      expect(await shown('3.70')).not.to.have.property('project_id');
    });

    it('leaves a group in error if the pool does not match a volume type', async () => {
      const type = await createType(world, { name: 'fast', extra_specs: { fast: '<is> True' } });
      const id = await createGroup(world, 'alice', { volume_types: [type, 'lvmdriver-1'] });
      expect(await group(world, id)).to.include({ status: 'error' });
      await actOn(id, { delete: {} }).expect(202);
      await ask(world, 'alice', 'GET', `/groups/${id}`).expect(404);
    });

    it('returns 404 for unknown types, with the word that upstream has for each', async () => {
      await createGroupType(world, { name: 'gold' });
      const unknown = 'f6b1e0c2-0000-4000-8000-000000000001';
      expect(messageOf(await post({ group_type: 'x' }).expect(404))).to.equal(
        'Group type with name x could not be found.',
      );
      expect(messageOf(await post({ group_type: unknown }).expect(404))).to.equal(
        `Group type ${unknown} could not be found.`,
      );
      expect(messageOf(await post({ volume_types: ['x'] }).expect(404))).to.equal(
        'Volume type with name x could not be found.',
      );
      expect(messageOf(await post({ volume_types: [unknown] }).expect(404))).to.equal(
        `Volume type ${unknown} could not be found.`,
      );
    });

    it('returns 400 for an unknown zone, and for the type of consistency groups', async () => {
      await createGroupType(world, { name: 'gold' });
      expect(messageOf(await post({ availability_zone: 'x' }).expect(400))).to.equal(
        "Invalid input received: Availability zone 'x' is invalid.",
      );
      const reserved = await post({ group_type: 'default_cgsnapshot_type' }).expect(400);
      expect(messageOf(reserved)).to.contain('is reserved for migrating CGs to groups.');
    });

    it('returns 413 beyond the quota, and counts groups in the usage', async () => {
      await askAsAdmin(world, 'PUT', '/os-quota-sets/b1', { quota_set: { groups: 1 } }).expect(200);
      const type = await createGroupType(world, { name: 'gold' });
      await createGroup(world, 'alice', { group_type: type });
      expect(messageOf(await post({ group_type: type }).expect(413))).to.equal(
        'Maximum number of groups allowed (1) exceeded',
      );
      const sets = await ask(world, 'alice', 'GET', '/os-quota-sets/b1?usage=True').expect(200);
      expect(sets.body.quota_set.groups).to.deep.equal({ limit: 1, in_use: 1, reserved: 0 });
      const lower = askAsAdmin(world, 'PUT', '/os-quota-sets/b1', { quota_set: { groups: 0 } });
      await lower.expect(400);
    });

    it('returns 403 for readers', async () => {
      await createGroupType(world, { name: 'gold' });
      await ask(world, 'reader', 'POST', '/groups', {
        body: { group: { group_type: 'gold', volume_types: ['lvmdriver-1'] } },
      }).expect(403);
    });
  });

  describe('GET /groups', () => {
    it('lists the groups of the project, and for administrators those of all', async () => {
      const own = await createGroup(world, 'alice', { name: 'own' });
      const other = await createGroup(world, 'bob', { name: 'other' });
      const ids = async (who: 'alice' | 'admin', query = ''): Promise<string[]> => {
        const reply = await ask(world, who, 'GET', `/groups${query}`).expect(200);
        return (reply.body.groups as { id: string }[]).map(({ id }) => id);
      };
      expect(await ids('alice', '?all_tenants=1')).to.deep.equal([own]);
      expect(await ids('admin')).to.deep.equal([]);
      expect(await ids('admin', '?all_tenants=0')).to.have.members([own, other]);
      expect(await ids('alice', '?name=other')).to.deep.equal([]);
      expect(await ids('admin', '?all_tenants=1&name~=ow')).to.deep.equal([own]);
      expect(await ids('admin', '?all_tenants=1&status=error')).to.deep.equal([]);
      await ask(world, 'bob', 'GET', `/groups/${own}`).expect(404);
    });

    it('refuses unknown filters from 3.31 on', async () => {
      await ask(world, 'alice', 'GET', '/groups?status=error').expect(400);
      await ask(world, 'alice', 'GET', '/groups?status=error', { version: '3.30' }).expect(200);
    });

    it('sorts, pages, and lists the volumes', async () => {
      for (const name of ['b', 'a', 'c']) await createGroup(world, 'alice', { name });
      const path = '/groups/detail?sort=name:asc&limit=2&list_volume=True';
      const first = await ask(world, 'alice', 'GET', path).expect(200);
      const groups = first.body.groups as { id: string; name: string; volumes: string[] }[];
      expect(groups.map(({ name }) => name)).to.deep.equal(['a', 'b']);
      expect(groups[0]!.volumes).to.deep.equal([]);
      expect(first.body.group_links[0].href).to.contain(`marker=${groups[1]!.id}`);
    });
  });

  describe('volumes in groups', () => {
    it('creates a volume in a group, shows and lists its group', async () => {
      const id = await createGroup(world, 'alice');
      const member = await createVolumeIn(world, 'alice', id);
      await createVolume(world, 'alice');
      expect(await volume(world, member)).to.include({ group_id: id, status: 'available' });
      expect(await group(world, id)).to.deep.include({ volumes: [member] });
      const listed = await ask(world, 'alice', 'GET', `/volumes?group_id=${id}`).expect(200);
      expect((listed.body.volumes as { id: string }[]).map((one) => one.id)).to.deep.equal([
        member,
      ]);
    });

    it('returns 400 without a type, with a type that the group does not allow, and in error', async () => {
      const id = await createGroup(world, 'alice');
      const send = (fields: object): supertest.Test =>
        ask(world, 'alice', 'POST', '/volumes', {
          body: { volume: { size: 1, group_id: id, ...fields } },
        });
      expect(messageOf(await send({}).expect(400))).to.equal(
        'Invalid input received: volume_type must be provided when creating a volume in a group.',
      );
      expect(messageOf(await send({ volume_type: '__DEFAULT__' }).expect(400))).to.contain(
        '(requested type must be supported by this group).',
      );
      await setStatus(id, 'error');
      expect(messageOf(await send({ volume_type: 'lvmdriver-1' }).expect(400))).to.equal(
        "Invalid Group: Originating group status must be one of 'available, creating' values",
      );
    });

    it('returns 404 for a group of another project', async () => {
      const id = await createGroup(world, 'alice');
      const reply = await ask(world, 'bob', 'POST', '/volumes', {
        body: { volume: { size: 1, volume_type: 'lvmdriver-1', group_id: id } },
      }).expect(404);
      expect(messageOf(reply)).to.equal(`Group ${id} could not be found.`);
    });

    it('refuses to delete or retype a volume of a group, and to delete its type', async () => {
      const id = await createGroup(world, 'alice');
      const member = await createVolumeIn(world, 'alice', id);
      const removed = await ask(world, 'alice', 'DELETE', `/volumes/${member}`).expect(400);
      expect(messageOf(removed)).to.contain('belong to a group');
      await act(world, 'admin', member, { 'os-force_delete': {} }).expect(400);
      await act(world, 'alice', member, {
        'os-retype': { new_type: '__DEFAULT__', migration_policy: 'never' },
      }).expect(400);
      const type = await createType(world, { name: 'fast' });
      await createGroup(world, 'alice', { volume_types: ['fast'] });
      expect(messageOf(await askAsAdmin(world, 'DELETE', `/types/${type}`).expect(400))).to.equal(
        'Target volume type is still in use.',
      );
    });
  });

  describe('PUT /groups/{id}', () => {
    it('changes texts, and adds and removes volumes', async () => {
      const id = await createGroup(world, 'alice');
      const [first, second] = [
        await createVolume(world, 'alice', { volume_type: 'lvmdriver-1' }),
        await createVolumeIn(world, 'alice', id),
      ];
      await update(id, {
        name: 'new',
        description: 'd',
        add_volumes: `${first},`,
        remove_volumes: second,
      }).expect(202);
      expect(await group(world, id)).to.deep.include({
        name: 'new',
        description: 'd',
        status: 'available',
        volumes: [first],
      });
      expect(await volume(world, second)).to.include({ group_id: null });
    });

    it('returns 400 for what changes nothing', async () => {
      const id = await createGroup(world, 'alice', { name: 'g' });
      expect(messageOf(await update(id, { name: 'g' }).expect(400))).to.equal(
        `Invalid Group: Cannot update group ${id} because no valid name, description, ` +
          'add_volumes, or remove_volumes were provided.',
      );
    });

    it('returns 400 for volumes that cannot be added or removed', async () => {
      const [id, other] = [await createGroup(world, 'alice'), await createGroup(world, 'alice')];
      const member = await createVolumeIn(world, 'alice', other);
      const plain = await createVolume(world, 'alice', { volume_type: '__DEFAULT__' });
      const foreign = await createVolume(world, 'bob', { volume_type: 'lvmdriver-1' });
      const refusal = async (fields: object): Promise<string> =>
        messageOf(await update(id, fields).expect(400));
      const cannotAdd = (one: string): string =>
        `Invalid volume: Cannot add volume ${one} to group ${id} `;
      expect(await refusal({ add_volumes: member })).to.equal(
        `${cannotAdd(member)}because it is already in group ${other}.`,
      );
      expect(await refusal({ add_volumes: foreign })).to.equal(
        `${cannotAdd(foreign)}because volume cannot be found.`,
      );
      expect(await refusal({ add_volumes: plain })).to.contain('is not supported by the group.');
      expect(await refusal({ remove_volumes: plain })).to.equal(
        `Invalid volume: Cannot remove volume ${plain} from group ${id} because it is not in ` +
          'the group.',
      );
      expect(await refusal({ add_volumes: plain, remove_volumes: plain })).to.equal(
        `Invalid volume: UUIDs ['${plain}'] are in both add and remove volume list.`,
      );
      const asAdmin = askAsAdmin(world, 'PUT', `/groups/${id}`, {
        group: { add_volumes: foreign },
      });
      expect(messageOf(await asAdmin.expect(400))).to.equal(
        `${cannotAdd(foreign)}as they belong to different projects.`,
      );
    });

    it('returns 400 for volumes and groups in another status', async () => {
      const id = await createGroup(world, 'alice');
      const member = await createVolumeIn(world, 'alice', id);
      const other = await createVolume(world, 'alice', { volume_type: 'lvmdriver-1' });
      for (const one of [member, other])
        await act(world, 'admin', one, { 'os-reset_status': { status: 'maintenance' } }).expect(
          202,
        );
      expect(messageOf(await update(id, { add_volumes: other }).expect(400))).to.contain(
        "in an invalid state: maintenance. Valid states are: ('available', 'in-use').",
      );
      expect(messageOf(await update(id, { remove_volumes: member }).expect(400))).to.contain(
        "('available', 'in-use', 'error', 'error_deleting').",
      );
      await act(world, 'admin', member, { 'os-reset_status': { status: 'error' } }).expect(202);
      await setStatus(id, 'error');
      expect(messageOf(await update(id, { remove_volumes: member }).expect(400))).to.equal(
        'Invalid Group: Group status must be available.',
      );
      await update(id, { name: 'new' }).expect(202);
      expect(await group(world, id)).to.include({ status: 'available' });
    });
  });

  describe('the action delete', () => {
    it('deletes an empty group, and one with its volumes', async () => {
      const empty = await createGroup(world, 'alice');
      await actOn(empty, { delete: {} }).expect(202);
      await ask(world, 'alice', 'GET', `/groups/${empty}`).expect(404);
      const id = await createGroup(world, 'alice');
      const member = await createVolumeIn(world, 'alice', id);
      expect(messageOf(await actOn(id, { delete: {} }).expect(400))).to.equal(
        `Invalid Group: Group ${id} still contains volumes. The delete-volumes flag is required ` +
          'to delete it.',
      );
      await actOn(id, { delete: { 'delete-volumes': true } }).expect(202);
      await ask(world, 'alice', 'GET', `/groups/${id}`).expect(404);
      await ask(world, 'alice', 'GET', `/volumes/${member}`).expect(404);
    });

    it('returns 400 for attached volumes, and for snapshots of volumes or of the group', async () => {
      const id = await createGroup(world, 'alice');
      const member = await createVolumeIn(world, 'alice', id);
      const refusal = async (): Promise<string> =>
        messageOf(await actOn(id, { delete: { 'delete-volumes': true } }).expect(400));
      await attach(world, member);
      expect(await refusal()).to.equal(
        `Invalid Group: Volume in group ${id} is attached. Need to detach first.`,
      );
      await act(world, 'alice', member, { 'os-detach': {} }).expect(202);
      await createSnapshot(world, 'alice', member);
      expect(await refusal()).to.equal(
        'Invalid Group: Volume in group still has dependent snapshots.',
      );
      await createGroupSnapshot(world, 'alice', id);
      expect(await refusal()).to.equal('Invalid Group: Group has existing snapshots.');
    });

    it('returns 400 in another status, unless the volumes go, too', async () => {
      const id = await createGroup(world, 'alice');
      await setStatus(id, 'updating');
      expect(messageOf(await actOn(id, { delete: {} }).expect(400))).to.equal(
        'Invalid Group: Group status must be available or error, but current status is: updating',
      );
      await actOn(id, { delete: { 'delete-volumes': true } }).expect(202);
    });

    it('returns 400 while the backend is frozen', async () => {
      const id = await createGroup(world, 'alice');
      await askAsAdmin(world, 'PUT', '/os-services/freeze', { host: 'cumulet@lvmdriver-1' });
      expect(messageOf(await actOn(id, { delete: {} }).expect(400))).to.contain('frozen');
      await askAsAdmin(world, 'PUT', '/os-services/thaw', { host: 'cumulet@lvmdriver-1' });
    });
  });

  describe('the action create-from-src', () => {
    it('copies a group with its volumes', async () => {
      const source = await createGroup(world, 'alice');
      const member = await createVolumeIn(world, 'alice', source, { size: 2 });
      const reply = await fromSource({ name: 'copy', source_group_id: source }).expect(202);
      const { id } = reply.body.group;
      const copy = await group(world, id);
      expect(copy).to.include({
        name: 'copy',
        status: 'available',
        source_group_id: source,
        group_snapshot_id: null,
      });
      const [only] = copy['volumes'] as string[];
      expect(await volume(world, only!)).to.include({
        source_volid: member,
        group_id: id,
        size: 2,
        status: 'available',
      });
    });

    it('creates a group from a group snapshot', async () => {
      const source = await createGroup(world, 'alice');
      await createVolumeIn(world, 'alice', source);
      await createVolumeIn(world, 'alice', source);
      const snapshot = await createGroupSnapshot(world, 'alice', source);
      const reply = await fromSource({ group_snapshot_id: snapshot }).expect(202);
      const { volumes, ...shown } = await group(world, reply.body.group.id);
      expect(shown).to.include({ status: 'available', group_snapshot_id: snapshot, name: null });
      expect(volumes).to.have.length(2);
    });

    it('returns 400 for an empty source, and beyond the quota of volumes', async () => {
      const source = await createGroup(world, 'alice');
      expect(messageOf(await fromSource({ source_group_id: source }).expect(400))).to.equal(
        'Invalid Group: Source Group is empty. No group will be created.',
      );
      const snapshot = await createGroupSnapshot(world, 'alice', source);
      expect(messageOf(await fromSource({ group_snapshot_id: snapshot }).expect(400))).to.equal(
        'Invalid Group: Group snapshot is empty. No group will be created.',
      );
      await createVolumeIn(world, 'alice', source);
      const quota = { quota_set: { volumes: 1 } };
      await askAsAdmin(world, 'PUT', '/os-quota-sets/b1', quota).expect(200);
      expect(messageOf(await fromSource({ source_group_id: source }).expect(400))).to.contain(
        'Maximum number of volumes allowed (1) exceeded',
      );
      const groups = await ask(world, 'alice', 'GET', '/groups').expect(200);
      expect(groups.body.groups).to.have.length(1);
    });

    it('returns 404 for an unknown source or one of another project, and 400 for none or two', async () => {
      const id = 'f6b1e0c2-0000-4000-8000-000000000001';
      expect(messageOf(await fromSource({ source_group_id: id }).expect(404))).to.equal(
        `Group ${id} could not be found.`,
      );
      expect(messageOf(await fromSource({ group_snapshot_id: id }).expect(404))).to.equal(
        `GroupSnapshot ${id} could not be found.`,
      );
      const other = await createGroup(world, 'bob');
      await fromSource({ source_group_id: other }).expect(404);
      const snapshot = await createGroupSnapshot(world, 'bob', other);
      await fromSource({ group_snapshot_id: snapshot }).expect(404);
      await fromSource({}).expect(400);
      await fromSource({ source_group_id: id, group_snapshot_id: id }).expect(400);
    });

    it('leaves the group in error if the source is in use', async () => {
      const source = await createGroup(world, 'alice');
      await attach(world, await createVolumeIn(world, 'alice', source));
      const reply = await fromSource({ source_group_id: source }).expect(202);
      expect(await group(world, reply.body.group.id)).to.include({ status: 'error' });
    });
  });

  describe('other actions', () => {
    it('sets the status, for administrators and to known statuses', async () => {
      const id = await createGroup(world, 'alice');
      await setStatus(id, 'ERROR');
      expect(await group(world, id)).to.include({ status: 'error' });
      await actOn(id, { reset_status: { status: 'error' } }).expect(403);
      const unknown = await actOn(id, { reset_status: { status: 'in-use' } }).expect(400);
      expect(messageOf(unknown)).to.equal(
        "Invalid Group Status: Group status: in-use is invalid, valid status are: ('error', " +
          "'available', 'creating', 'deleting', 'deleted', 'updating', 'in-use', " +
          "'error_deleting').",
      );
    });

    it('refuses replication for types that are not replicated', async () => {
      const id = await createGroup(world, 'alice');
      for (const action of [
        'enable_replication',
        'disable_replication',
        'failover_replication',
        'list_replication_targets',
      ])
        expect(messageOf(await actOn(id, { [action]: {} }).expect(400))).to.equal(
          `Invalid group type: Group ${id} is not a replication group type.`,
        );
    });

    it('ends in error if replication is enabled, because the backend cannot', async () => {
      const groupType = await createGroupType(world, {
        name: 'replicated',
        group_specs: { group_replication_enabled: '<is> True' },
      });
      const type = await createType(world, {
        name: 'replicated',
        extra_specs: { replication_enabled: '<is> True' },
      });
      const id = await createGroup(world, 'alice', { group_type: groupType, volume_types: [type] });
      const targets = await actOn(id, { list_replication_targets: {} }).expect(200);
      expect(targets.body).to.deep.equal({ replication_targets: [] });
      expect(messageOf(await actOn(id, { enable_replication: {} }).expect(400))).to.equal(
        `Invalid Group: Group ${id} status must be ['available'], but current status is: error. ` +
          'Cannot enable replication.',
      );
      await setStatus(id, 'available');
      expect(messageOf(await actOn(id, { failover_replication: {} }).expect(400))).to.equal(
        `Invalid Group: Group ${id} replication status must be ['enabled', 'failed-over'], but ` +
          'current status is: disabled. Cannot failover replication.',
      );
      await actOn(id, { enable_replication: {} }).expect(202);
      expect(await group(world, id)).to.include({ status: 'error', replication_status: 'error' });
    });
  });
});
