// Tests snapshots.
import { expect } from 'chai';
import type supertest from 'supertest';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  ask,
  attach,
  createSnapshot,
  createVolume,
  messageOf,
  newest,
  type Person,
} from './support.ts';

onEachDatabase('snapshots', { auth: 'noauth2' }, (world) => {
  const create = async (): Promise<{ id: string; volumeId: string; created: object }> => {
    const volumeId = await createVolume(world, 'alice', { size: 2 });
    const body = {
      snapshot: { volume_id: volumeId, name: 'one', description: 'words', metadata: { a: 'b' } },
    };
    const created = (await ask(world, 'alice', 'POST', '/snapshots', { body }).expect(202)).body
      .snapshot as { id: string };
    return { id: created.id, volumeId, created };
  };

  describe('POST /snapshots', () => {
    it('creates a snapshot with the size of its volume', async () => {
      const { created, volumeId } = await create();
      expect(created).to.deep.include({
        name: 'one',
        description: 'words',
        volume_id: volumeId,
        size: 2,
        status: 'creating',
        metadata: { a: 'b' },
        user_id: 'alice',
      });
    });

    describe('of a volume in use', () => {
      let post: (fields: object, version: string) => supertest.Test;
      beforeEach(async () => {
        const id = await createVolume(world, 'alice');
        await attach(world, id, { instance_uuid: undefined, host_name: 'h' });
        post = (fields, version) =>
          ask(world, 'alice', 'POST', '/snapshots', {
            body: { snapshot: { volume_id: id, ...fields } },
            version,
          });
      });

      it('returns 400 without force, before 3.66', async () => {
        expect(messageOf(await post({}, '3.65').expect(400))).to.contain(
          'status must be available, but current status is: in-use',
        );
        await post({ force: true }, '3.65').expect(202);
      });

      it('creates it with and without force, from 3.66 on', async () => {
        await post({}, '3.66').expect(202);
        await post({ force: true }, '3.66').expect(202);
      });

      it('returns 400 for force: false, from 3.66 on', async () => {
        expect(messageOf(await post({ force: false }, '3.66').expect(400))).to.contain(
          "the 'force' flag is invalid",
        );
      });
    });
  });

  describe('GET /snapshots/{id}', () => {
    it('shows a snapshot, which is available by the next request', async () => {
      const { id } = await create();
      const shown = await ask(world, 'alice', 'GET', `/snapshots/${id}`).expect(200);
      expect(shown.body.snapshot).to.include({
        status: 'available',
        'os-extended-snapshot-attributes:progress': '100%',
      });
    });

    it('omits fields of later versions', async () => {
      const { id } = await create();
      const old = (await ask(world, 'alice', 'GET', `/snapshots/${id}`, { version: '3.13' })).body
        .snapshot as object;
      expect(old).to.not.have.any.keys('group_snapshot_id', 'user_id', 'consumes_quota');
    });

    it('returns 404 for another project', async () => {
      const { id } = await create();
      await ask(world, 'bob', 'GET', `/snapshots/${id}`).expect(404);
    });
  });

  describe('PUT /snapshots/{id}', () => {
    it('changes the name, and keeps the description', async () => {
      const { id } = await create();
      const changed = await ask(world, 'alice', 'PUT', `/snapshots/${id}`, {
        body: { snapshot: { name: 'two' } },
      }).expect(200);
      expect(changed.body.snapshot).to.include({ name: 'two', description: 'words' });
    });
  });

  describe('DELETE /snapshots/{id}', () => {
    it('deletes a snapshot', async () => {
      const { id } = await create();
      await ask(world, 'alice', 'DELETE', `/snapshots/${id}`).expect(202);
      const missing = await ask(world, 'alice', 'GET', `/snapshots/${id}`).expect(404);
      expect(messageOf(missing)).to.equal(`Snapshot ${id} could not be found.`);
    });

    it('returns 403 for a reader', async () => {
      const { id } = await create();
      await ask(world, 'reader', 'DELETE', `/snapshots/${id}`).expect(403);
    });
  });

  describe('GET /snapshots', () => {
    let firstVolume: string;
    const names = async (
      query: string,
      who: Person = 'alice',
      version = newest,
    ): Promise<string[]> => {
      const reply = await ask(world, who, 'GET', `/snapshots/detail?${query}`, {
        version,
      }).expect(200);
      return (reply.body as { snapshots: { name: string }[] }).snapshots.map(({ name }) => name);
    };

    beforeEach(async () => {
      firstVolume = await createVolume(world, 'alice');
      const secondVolume = await createVolume(world, 'alice');
      await createSnapshot(world, 'alice', firstVolume, { name: 'a', metadata: { colour: 'red' } });
      await createSnapshot(world, 'alice', secondVolume, { name: 'b' });
    });

    it('filters and sorts', async () => {
      const cases: [string, string[]][] = [
        ['sort=name:asc', ['a', 'b']],
        [`volume_id=${firstVolume}`, ['a']],
        ['name=b', ['b']],
        ['status=error', []],
        [encodeURI("metadata={'colour':'red'}"), ['a']],
        ['availability_zone=nova&sort=name:desc', ['b', 'a']],
        ['availability_zone=x', []],
        ['consumes_quota=no', []],
        ['limit=1&sort=name:asc', ['a']],
      ];
      for (const [query, expected] of cases)
        expect(await names(query), query).to.deep.equal(expected);
    });

    it('lists the snapshots of the caller’s project, or of all for an administrator', async () => {
      expect(await names('', 'bob')).to.deep.equal([]);
      expect(await names('all_tenants=True&sort=name:asc', 'admin')).to.deep.equal(['a', 'b']);
    });

    it('returns 400 for the sort key `name` before 3.30', async () => {
      await ask(world, 'alice', 'GET', '/snapshots?sort=name', { version: '3.29' }).expect(400);
    });

    it('returns the count of all pages and a link to the next page', async () => {
      const { body } = await ask(world, 'alice', 'GET', '/snapshots?limit=1&with_count=1').expect(
        200,
      );
      expect(body).to.include({ count: 2 });
      expect(body.snapshots_links[0].href).to.contain('marker=');
    });
  });

  describe('POST /snapshots/{id}/action', () => {
    let id: string;
    const action = (body: object, who: Person = 'admin'): supertest.Test =>
      ask(world, who, 'POST', `/snapshots/${id}/action`, { body });
    const updateStatus = (fields: object): supertest.Test =>
      action({ 'os-update_snapshot_status': fields }, 'alice');

    beforeEach(async () => {
      id = await createSnapshot(world, 'alice', await createVolume(world, 'alice'));
    });

    it('os-reset_status sets any valid status, for administrators', async () => {
      await action({ 'os-reset_status': { status: 'error' } }, 'alice').expect(403);
      await action({ 'os-reset_status': { status: 'x' } }).expect(400);
      await action({ 'os-reset_status': { status: 'creating' } }).expect(202);
      await ask(world, 'alice', 'DELETE', `/snapshots/${id}`).expect(400);
    });

    it('os-update_snapshot_status sets the status and the progress', async () => {
      await action({ 'os-reset_status': { status: 'creating' } }).expect(202);
      await updateStatus({ status: 'error', progress: '80%' }).expect(202);
      expect((await ask(world, 'alice', 'GET', `/snapshots/${id}`)).body.snapshot).to.include({
        status: 'error',
        'os-extended-snapshot-attributes:progress': '80%',
      });
      expect(messageOf(await updateStatus({ status: 'error' }).expect(400))).to.equal(
        'Snapshot status error not allowed for update_snapshot_status',
      );
    });

    it('os-update_snapshot_status returns 400 for an invalid status or progress', async () => {
      await action({ 'os-reset_status': { status: 'creating' } }).expect(202);
      expect(messageOf(await updateStatus({ status: 'in-use' }).expect(400))).to.equal(
        'Provided snapshot status in-use not allowed for snapshot with status creating.',
      );
      const refused = await updateStatus({ status: 'error', progress: '101%' }).expect(400);
      expect(messageOf(refused)).to.contain('between 0 and 100');
    });

    it('os-force_delete deletes a snapshot in any status', async () => {
      await action({ 'os-reset_status': { status: 'error' } }).expect(202);
      await action({ 'os-force_delete': {} }).expect(202);
      await ask(world, 'alice', 'GET', `/snapshots/${id}`).expect(404);
    });
  });
});
