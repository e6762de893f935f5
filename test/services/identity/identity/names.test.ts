// Names, which are looked up and unique without regard to case, as in upstream's tables on MySQL;
// and the migration of existing clouds.
import { expect } from 'chai';
import { identityNames } from '../../../../migrations/central/identity-names.ts';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, authBody, ids, make, message, onProject, signIn, signInReply } from '../support.ts';

// A cloud of its own: the migration changes the order of columns, which other suites rely on.
const config = { hosts: '0' } as const;

onEachDatabase('identity: names', config, (world) => {
  it('are accepted in any case at sign-in, and returned as written', async () => {
    const reply = await signInReply(world, {
      name: 'ADMIN',
      scope: { project: { name: 'Demo', domain: { name: 'DEFAULT' } } },
    });
    expect(reply.status, reply.text).to.equal(201);
    expect(reply.body.token.user.name).to.equal('admin');
    expect(reply.body.token.project).to.include({ id: ids.demoProject, name: 'demo' });
    const user = { name: 'Admin', password: 'secret', domain: { name: 'default' } };
    const identity = { methods: ['password'], password: { user } };
    expect((await signInReply(world, { identity, scope: onProject('ADMIN') })).status).to.equal(
      201,
    );
  });

  it('of domains are accepted in any case at sign-in', async () => {
    const reply = await signInReply(world, { scope: { domain: { name: 'default' } } });
    expect(reply.status, reply.text).to.equal(201);
    expect((reply.body.token.roles as { name: string }[]).map(({ name }) => name)).to.include(
      'admin',
    );
  });

  it('are filtered and checked for duplicates without regard to case', async () => {
    const made: [noun: string, fields: object, taken: RegExp][] = [
      ['user', { name: 'Björk' }, /Duplicate entry found with name BJÖRK at domain ID default/],
      [
        'project',
        { name: 'Björk' },
        /it is not permitted to have two projects with either the same name or same id/,
      ],
      ['group', { name: 'Björk' }, /Duplicate entry found with name BJÖRK/],
      ['role', { name: 'Björk' }, /Duplicate entry found with name BJÖRK/],
      ['domain', { name: 'Björk' }, /two/],
    ];
    for (const [noun, fields, taken] of made) {
      const { id } = await make(world, noun, fields);
      const list = await ask(world, 'GET', `/v3/${noun}s?name=bj%C3%B6RK`);
      expect(
        (list.body[`${noun}s`] as { id: string; name: string }[]).map((one) => [one.id, one.name]),
        noun,
      ).to.deep.equal([[id, 'Björk']]);
      const again = await ask(world, 'POST', `/v3/${noun}s`, {
        body: { [noun]: { ...fields, name: 'BJÖRK' } },
      });
      expect(again.status, noun).to.equal(409);
      expect(message(again), noun).to.match(taken);
      const renamed = await ask(world, 'PATCH', `/v3/${noun}s/${id}`, {
        body: { [noun]: { name: 'björk' } },
      });
      expect([renamed.status, renamed.body[noun].name], noun).to.deep.equal([200, 'björk']);
    }
    await make(world, 'service', { type: 'Odd', name: 'Odd' });
    expect((await ask(world, 'GET', '/v3/services?type=ODD')).body.services).to.have.length(1);
    expect((await ask(world, 'GET', '/v3/services?name=ODD')).body.services).to.have.length(0);
  });

  it('of application credentials and their roles ignore case', async () => {
    const body = {
      application_credential: { name: 'Robot', secret: 's', roles: [{ name: 'MEMBER' }] },
    };
    const path = `/v3/users/${ids.admin}/application_credentials`;
    const { status } = await ask(world, 'POST', path, { body });
    expect(status).to.equal(201);
    const again = { application_credential: { name: 'ROBOT' } };
    expect((await ask(world, 'POST', path, { body: again })).status).to.equal(409);
    const application_credential = { name: 'robot', secret: 's', user: { id: ids.admin } };
    const identity = { methods: ['application_credential'], application_credential };
    const reply = await world.ask('identity', 'POST', '/identity/v3/auth/tokens', {
      token: null,
      body: authBody({ identity, scope: null }),
    });
    expect(reply.status, reply.text).to.equal(201);
  });

  it('that already differ only by case are kept, and the first of them is found', async () => {
    const { db } = world.cloud.central;
    await make(world, 'user', { name: 'twin' });
    const { id } = await make(world, 'user', { name: 'other' });
    const tables = ['projects', 'users', 'groups', 'roles', 'application_credentials'];
    for (const name of tables) {
      await db.schema.alterTable(`identity_${name}`, (table) => {
        // A foreign key needs an index.
        if (name === 'users') table.index(['domain_id'], 'identity_users_domain');
        if (name === 'application_credentials') table.index(['user_id'], 'identity_app_creds_user');
      });
      await db.schema.alterTable(`identity_${name}`, (table) => {
        table.dropUnique([], `identity_${name}_name_key`);
      });
      await db.schema.alterTable(`identity_${name}`, (table) => {
        table.dropColumn('name_key');
      });
    }
    await db('identity_users').where({ id }).update({ name: 'TWIN' });
    await identityNames.up(db);
    expect((await ask(world, 'GET', '/v3/users?name=Twin')).body.users).to.have.length(1);
    expect((await ask(world, 'GET', `/v3/users/${id}`)).body.user.name).to.equal('TWIN');
    await signIn(world);
  });
});
