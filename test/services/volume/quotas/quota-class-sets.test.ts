// Tests quota classes.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, askAsAdmin, createVolume, messageOf } from '../support.ts';

onEachDatabase('quota classes', { auth: 'noauth2' }, (world) => {
  const path = '/os-quota-class-sets/default';
  const put = (limits: object) => askAsAdmin(world, 'PUT', path, { quota_class_set: limits });

  describe('GET /os-quota-class-sets/{class}', () => {
    it('shows the built-in limits until others are set', async () => {
      expect((await askAsAdmin(world, 'GET', path).expect(200)).body.quota_class_set).to.include({
        id: 'default',
        volumes: 10,
        groups: 10,
      });
    });

    it('shows the limits of the class `default` for an unknown class', async () => {
      await put({ volumes: '1' }).expect(200);
      const { body } = await askAsAdmin(world, 'GET', '/os-quota-class-sets/x');
      expect(body.quota_class_set).to.include({ id: 'x', volumes: 1 });
    });

    it('returns 403 for a member', async () => {
      await ask(world, 'alice', 'GET', path).expect(403);
    });
  });

  describe('PUT /os-quota-class-sets/default', () => {
    it('limits the projects without limits of their own', async () => {
      await put({ volumes: '1' }).expect(200);
      await createVolume(world, 'alice');
      const body = { volume: { size: 1 } };
      const refused = await ask(world, 'alice', 'POST', '/volumes', { body }).expect(413);
      expect(messageOf(refused)).to.contain('allowed (1)');
    });

    it('returns 400 for an unknown resource', async () => {
      expect(messageOf(await put({ colours: 1 }).expect(400))).to.contain('Bad key(s)');
    });
  });
});
