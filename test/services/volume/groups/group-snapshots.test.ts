// Tests snapshots of groups.
import { expect } from 'chai';
import type supertest from 'supertest';
import { onEachDatabase } from '../../../support/cloud.ts';
import { act, ask, askAsAdmin, messageOf } from '../support.ts';
import { createGroup, createGroupSnapshot, createVolumeIn } from './support.ts';

onEachDatabase('group snapshots', { auth: 'noauth2' }, (world) => {
  interface Listed {
    id: string;
    name: string;
    status: string;
    volume_id: string;
  }
  /** The snapshots of a group snapshot. */
  const partsOf = async (id: string): Promise<Listed[]> =>
    (await askAsAdmin(world, 'GET', `/snapshots/detail?all_tenants=1&group_snapshot_id=${id}`)).body
      .snapshots;
  const post = (groupId: string): supertest.Test =>
    ask(world, 'alice', 'POST', '/group_snapshots', {
      body: { group_snapshot: { group_id: groupId, name: 'gs' } },
    });
  const show = (id: string): supertest.Test => ask(world, 'alice', 'GET', `/group_snapshots/${id}`);

  describe('POST /group_snapshots', () => {
    it('creates a snapshot of each volume', async () => {
      const group = await createGroup(world, 'alice');
      const volumes = [
        await createVolumeIn(world, 'alice', group),
        await createVolumeIn(world, 'alice', group),
      ];
      const created = (await post(group).expect(202)).body.group_snapshot;
      const { id, group_type_id: type } = created;
      expect(created).to.deep.equal({ id, name: 'gs', group_type_id: type });
      expect((await show(id).expect(200)).body.group_snapshot).to.deep.equal({
        id,
        group_id: group,
        group_type_id: type,
        status: 'available',
        created_at: '2026-11-20T12:00:00.000000',
        name: 'gs',
        description: null,
      });
      const parts = await partsOf(id);
      expect(parts.map((one) => one.volume_id)).to.have.members(volumes);
      for (const one of parts) {
        expect(one).to.include({ name: 'gs', status: 'available', group_snapshot_id: id });
        const removed = await ask(world, 'alice', 'DELETE', `/snapshots/${one.id}`).expect(400);
        expect(messageOf(removed)).to.equal(
          'Invalid snapshot: Snapshot status must be available or error and must not be part of ' +
            'a group.',
        );
      }
    });

    it('returns 413 beyond the quota of snapshots, and creates none', async () => {
      await askAsAdmin(world, 'PUT', '/os-quota-sets/b1', { quota_set: { snapshots: 1 } });
      const group = await createGroup(world, 'alice');
      for (let count = 0; count < 2; count++) await createVolumeIn(world, 'alice', group);
      await post(group).expect(413);
      const listed = await ask(world, 'alice', 'GET', '/group_snapshots').expect(200);
      expect(listed.body.group_snapshots).to.deep.equal([]);
      expect((await ask(world, 'alice', 'GET', '/snapshots')).body.snapshots).to.deep.equal([]);
    });

    it('returns 400 if a volume is in error, and 404 for another project', async () => {
      const group = await createGroup(world, 'alice');
      const volume = await createVolumeIn(world, 'alice', group);
      await act(world, 'admin', volume, { 'os-reset_status': { status: 'error' } }).expect(202);
      expect(messageOf(await post(group).expect(400))).to.equal(
        'Invalid volume: The snapshot cannot be created when the volume is in error status.',
      );
      const other = await createGroup(world, 'bob');
      await post(other).expect(404);
    });
  });

  describe('GET /group_snapshots', () => {
    const ids = async (query: string, version?: string): Promise<string[]> => {
      const path = `/group_snapshots${query}`;
      const reply = await ask(world, 'alice', 'GET', path, version ? { version } : {}).expect(200);
      return (reply.body.group_snapshots as Listed[]).map(({ id }) => id);
    };

    it('filters and pages from 3.29 on', async () => {
      const groups = [await createGroup(world, 'alice'), await createGroup(world, 'alice')];
      const [first, second] = [
        await createGroupSnapshot(world, 'alice', groups[0]!),
        await createGroupSnapshot(world, 'alice', groups[1]!),
      ];
      await createGroupSnapshot(world, 'bob', await createGroup(world, 'bob'));
      expect(await ids('')).to.have.members([first, second]);
      expect(await ids(`?group_id=${groups[0]}`)).to.deep.equal([first]);
      expect(await ids(`?group_id=${groups[0]}`, '3.28')).to.have.members([first, second]);
      expect(await ids('?status=error')).to.deep.equal([]);
      expect(await ids('?limit=1')).to.have.length(1);
      await ask(world, 'alice', 'GET', '/group_snapshots?group_type_id=x').expect(400);
      const all = await askAsAdmin(world, 'GET', '/group_snapshots/detail?all_tenants=1');
      expect(all.body.group_snapshots).to.have.length(3);
      expect(all.body.group_snapshots[0]).to.have.property('project_id');
    });
  });

  describe('DELETE /group_snapshots/{id}', () => {
    it('deletes the snapshots, after which the group can be deleted', async () => {
      const group = await createGroup(world, 'alice');
      await createVolumeIn(world, 'alice', group);
      const id = await createGroupSnapshot(world, 'alice', group);
      await ask(world, 'alice', 'DELETE', `/group_snapshots/${id}`).expect(202);
      expect(messageOf(await show(id).expect(404))).to.equal(
        `GroupSnapshot ${id} could not be found.`,
      );
      expect(await partsOf(id)).to.deep.equal([]);
      await ask(world, 'alice', 'POST', `/groups/${group}/action`, {
        body: { delete: { 'delete-volumes': true } },
      }).expect(202);
    });

    it('returns 400 in another status, which administrators can set', async () => {
      const id = await createGroupSnapshot(world, 'alice', await createGroup(world, 'alice'));
      const reset = (who: 'alice' | 'admin', status: string): supertest.Test =>
        ask(world, who, 'POST', `/group_snapshots/${id}/action`, {
          body: { reset_status: { status } },
        });
      await reset('alice', 'updating').expect(403);
      expect(messageOf(await reset('admin', 'in-use').expect(400))).to.equal(
        'Invalid GroupSnapshot Status: Group snapshot status: in-use is invalid, valid statuses ' +
          "are: ('error', 'available', 'creating', 'deleting', 'deleted', 'updating', " +
          "'error_deleting').",
      );
      await reset('admin', 'updating').expect(202);
      const removed = await ask(world, 'alice', 'DELETE', `/group_snapshots/${id}`).expect(400);
      expect(messageOf(removed)).to.contain('GroupSnapshot status must be available or error');
      await reset('admin', 'error').expect(202);
      await ask(world, 'alice', 'DELETE', `/group_snapshots/${id}`).expect(202);
    });
  });
});
