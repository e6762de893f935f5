// Stored credentials.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, ids, make, makeUser, message, onProject, signIn } from '../support.ts';

onEachDatabase('identity: credentials', {}, (world) => {
  describe('/v3/credentials', () => {
    it('creates, updates, lists and deletes a credential for its owner and administrators', async () => {
      const token = await signIn(world, { name: 'demo' });
      const made = await make(
        world,
        'credential',
        { user_id: ids.demo, type: 'cert', blob: '秘密', note: 1 },
        token,
      );
      expect(made).to.include({
        user_id: ids.demo,
        project_id: null,
        type: 'cert',
        blob: '秘密',
        note: 1,
      });
      expect(
        (await ask(world, 'GET', `/v3/credentials/${made.id}`, { token })).body.credential,
      ).to.deep.equal(made);
      const changed = await ask(world, 'PATCH', `/v3/credentials/${made.id}`, {
        token,
        body: { credential: { blob: 'b', project_id: ids.demoProject } },
      });
      expect(changed.body.credential).to.include({
        blob: 'b',
        project_id: ids.demoProject,
        note: 1,
      });
      const eva = await makeUser(world, 'eva', 'member');
      const other = await signIn(world, { name: 'eva', password: 'pw', scope: onProject('demo') });
      expect(eva).to.be.a('string');
      expect(
        (await ask(world, 'GET', `/v3/credentials/${made.id}`, { token: other })).status,
      ).to.equal(403);
      expect(
        (await ask(world, 'GET', '/v3/credentials', { token: other })).body.credentials,
      ).to.deep.equal([]);
      expect(
        (await ask(world, 'GET', '/v3/credentials?type=cert')).body.credentials,
      ).to.have.length(1);
      expect(
        (await ask(world, 'GET', '/v3/credentials?type=other')).body.credentials,
      ).to.deep.equal([]);
      expect((await ask(world, 'DELETE', `/v3/credentials/${made.id}`, { token })).status).to.equal(
        204,
      );
      expect(message(await ask(world, 'GET', `/v3/credentials/${made.id}`))).to.equal(
        `Could not find credential: ${made.id}.`,
      );
    });

    it('requires a project and an access key of EC2 credentials, and derives their id from the key', async () => {
      const post = (credential: object) =>
        ask(world, 'POST', '/v3/credentials', {
          body: { credential: { user_id: ids.admin, type: 'ec2', ...credential } },
        });
      expect((await post({ blob: '{}' })).status).to.equal(400);
      expect(message(await post({ blob: 'x', project_id: ids.adminProject }))).to.equal(
        'Invalid blob in credential',
      );
      expect(
        message(await post({ blob: '{"secret":"x"}', project_id: ids.adminProject })),
      ).to.match(/^Expecting to find access in credential\./);
      const made = await post({
        blob: '{"access":"a","secret":"s"}',
        project_id: ids.adminProject,
      });
      expect(made.body.credential.id).to.equal(
        'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb',
      );
      expect((await post({ blob: '{"access":"a"}', project_id: null })).status).to.equal(409);
      const changed = await ask(world, 'PATCH', `/v3/credentials/${made.body.credential.id}`, {
        body: { credential: { blob: '{"access":"a","trust_id":"t"}' } },
      });
      expect(message(changed)).to.equal('trust_id can not be updated for credential');
    });
  });
});
