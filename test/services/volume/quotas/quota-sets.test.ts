// Tests quota sets.
import { expect } from 'chai';
import type supertest from 'supertest';
import { onEachDatabase } from '../../../support/cloud.ts';
import {
  ask,
  askAsAdmin,
  createSnapshot,
  createVolume,
  messageOf,
  type Person,
} from '../support.ts';

onEachDatabase('quota sets', { auth: 'noauth2' }, (world) => {
  const put = (quota_set: object, who: Person = 'admin'): supertest.Test =>
    ask(world, who, 'PUT', '/os-quota-sets/b1', { body: { quota_set } });

  describe('GET /os-quota-sets/{project_id}', () => {
    it('shows limits with their usage', async () => {
      await createSnapshot(world, 'alice', await createVolume(world, 'alice', { size: 2 }));
      const usage = await ask(world, 'alice', 'GET', '/os-quota-sets/b1?usage=True').expect(200);
      expect(usage.body.quota_set).to.deep.include({
        id: 'b1',
        volumes: { limit: 10, in_use: 1, reserved: 0 },
        gigabytes: { limit: 1000, in_use: 4, reserved: 0 },
      });
    });

    it('returns 403 for another project', async () => {
      await ask(world, 'bob', 'GET', '/os-quota-sets/b1').expect(403);
    });
  });

  describe('GET /os-quota-sets/{project_id}/defaults', () => {
    it('shows the default limits even if the project has others', async () => {
      await put({ volumes: 5 }).expect(200);
      const { body } = await ask(world, 'alice', 'GET', '/os-quota-sets/b1/defaults');
      expect(body.quota_set).to.include({ volumes: 10, 'volumes_lvmdriver-1': -1 });
    });
  });

  describe('PUT /os-quota-sets/{project_id}', () => {
    it('sets limits, and returns all', async () => {
      const { body } = await put({ volumes: 5, tenant_id: 'b1' }).expect(200);
      expect(body.quota_set).to.include({ volumes: 5, snapshots: 10 });
    });

    it('returns 400 for an unknown resource, an invalid value, or no limits', async () => {
      expect(messageOf(await put({ cats: 1 }).expect(400))).to.equal(
        'Bad key(s) in quota set: cats',
      );
      expect(messageOf(await put({ volumes: 'x' }).expect(400))).to.equal(
        'volumes must be an integer.',
      );
      await put({}).expect(400);
    });

    it('returns 400 for a limit below the usage', async () => {
      await createVolume(world, 'alice');
      expect(messageOf(await put({ volumes: 0 }).expect(400))).to.contain(
        'Current usage is 1 and the requested limit is 0.',
      );
    });

    it('returns 403 for a member', async () => {
      await put({ volumes: 1 }, 'alice').expect(403);
    });
  });

  describe('DELETE /os-quota-sets/{project_id}', () => {
    it('restores the default limits', async () => {
      await put({ volumes: 5 }).expect(200);
      await askAsAdmin(world, 'DELETE', '/os-quota-sets/b1').expect(200);
      const { body } = await ask(world, 'alice', 'GET', '/os-quota-sets/b1');
      expect(body.quota_set).to.include({ volumes: 10 });
    });
  });
});
