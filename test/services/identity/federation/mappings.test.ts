// Mappings, and the check of their rules.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, message, signIn } from '../support.ts';
import { put, root, rule } from './support.ts';

onEachDatabase('identity: mappings', {}, (world) => {
  const at = `${root}/mappings`;
  const create = (mapping: unknown, id = 'm') =>
    ask(world, 'PUT', `${at}/${id}`, { body: { mapping } });
  const projects = [{ name: 'p', roles: [{ name: 'member' }] }];
  const inDomain = [{ ...projects[0], domain: { name: 'Default' } }];

  it('creates, shows, lists, updates and deletes a mapping', async () => {
    const reply = await create({ rules: [rule], other: 1 });
    expect(reply.status).to.equal(201);
    const { links, ...made } = reply.body.mapping;
    expect(made).to.deep.equal({ id: 'm', rules: [rule], schema_version: '1.0' });
    expect(links.self).to.match(/\/v3\/OS-FEDERATION\/mappings\/m$/);
    expect((await ask(world, 'GET', `${at}/m`)).body).to.deep.equal(reply.body);
    expect((await ask(world, 'GET', at)).body.mappings).to.deep.equal([reply.body.mapping]);
    const rules = [{ ...rule, local: [{ groups: '{0}', domain: { id: 'default' } }] }];
    const changed = await ask(world, 'PATCH', `${at}/m`, {
      body: { mapping: { rules, 'schema-version': '2.0' } },
    });
    expect(changed.body.mapping).to.deep.include({ rules, schema_version: '2.0' });
    expect((await ask(world, 'DELETE', `${at}/m`)).status).to.equal(204);
    const gone = await ask(world, 'GET', `${at}/m`);
    expect([gone.status, message(gone)]).to.deep.equal([404, 'Could not find mapping: m.']);
  });

  it('returns 409 for a taken id', async () => {
    await put(world, 'mappings/m', { rules: [rule] });
    const reply = await create({ rules: [rule] });
    expect([reply.status, message(reply)]).to.deep.equal([
      409,
      'Conflict occurred attempting to store mapping - Duplicate entry.',
    ]);
  });

  it('returns 400 with everything that is wrong with the rules', async () => {
    const reply = await create({
      rules: [
        { local: [{ user: { type: 'other' } }], remote: [] },
        { local: [], remote: [{ type: 'x', any_one_of: [], blacklist: [] }] },
      ],
    });
    expect(reply.status).to.equal(400);
    expect(message(reply).split('\n')).to.deep.equal([
      "'other' is not one of ['ephemeral', 'local']",
      '[] should be non-empty',
      "{'type': 'x', 'any_one_of': [], 'blacklist': []} is not valid under any of the given " +
        'schemas',
      '',
    ]);
    expect(message(await create({}))).to.equal("'rules' is a required property\n");
    expect(message(await create({ rules: [] }))).to.equal('[] should be non-empty\n');
    expect((await create('text')).status).to.equal(400);
    expect((await create({ rules: [rule], schema_version: '9' })).status).to.equal(400);
  });

  it('accepts domains of projects from version 2.0, and projects_json from 3.0', async () => {
    const withLocal = (local: object, version: string) =>
      create({ rules: [{ ...rule, local: [local] }], schema_version: version }, version);
    expect((await withLocal({ projects }, '1.0')).status).to.equal(201);
    const early = await create({ rules: [{ ...rule, local: [{ projects: inDomain }] }] }, 'x');
    expect([early.status, message(early)]).to.deep.equal([
      400,
      "Additional properties are not allowed ('domain' was unexpected)\n",
    ]);
    expect((await withLocal({ projects: inDomain }, '2.0')).status).to.equal(201);
    expect((await withLocal({ projects_json: '{0}' }, '2.0')).status).to.equal(400);
    expect((await withLocal({ projects_json: '{0}' }, '3.0')).status).to.equal(201);
  });

  it('returns 400 for an expression that is invalid or has look-around', async () => {
    const withExpression = (expression: string) =>
      create({
        rules: [
          {
            ...rule,
            remote: [{ type: 'x', any_one_of: [expression], regex: true }, ...rule.remote],
          },
        ],
      });
    for (const wrong of ['(', '(?=x)', '(x)\\1'])
      expect((await withExpression(wrong)).status, wrong).to.equal(400);
    expect((await withExpression('^(?:a|b)+$')).status).to.equal(201);
  });

  it('checks the policy before the rules, and the rules before the lookup', async () => {
    const token = await signIn(world, { name: 'demo' });
    const body = { mapping: {} };
    expect((await ask(world, 'PUT', `${at}/m`, { token, body })).status).to.equal(403);
    expect((await ask(world, 'PATCH', `${at}/m`, { body })).status).to.equal(400);
    const valid = { mapping: { rules: [rule] } };
    expect((await ask(world, 'PATCH', `${at}/m`, { body: valid })).status).to.equal(404);
  });
});
