// Identity providers and their protocols.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, make, message, signIn } from '../support.ts';
import { put, root, rule } from './support.ts';

onEachDatabase('identity: identity providers', {}, (world) => {
  const create = (id: string, fields: object = {}) =>
    ask(world, 'PUT', `${root}/identity_providers/${id}`, { body: { identity_provider: fields } });
  const update = (id: string, fields: object) =>
    ask(world, 'PATCH', `${root}/identity_providers/${id}`, {
      body: { identity_provider: fields },
    });
  const show = (id: string) => ask(world, 'GET', `${root}/identity_providers/${id}`);
  const idsIn = async (query: string): Promise<string[]> => {
    const reply = await ask(world, 'GET', `${root}/identity_providers${query}`);
    return (reply.body as { identity_providers: { id: string }[] }).identity_providers.map(
      ({ id }) => id,
    );
  };

  describe('PUT /OS-FEDERATION/identity_providers/{id}', () => {
    it('creates a disabled provider with a domain of its own', async () => {
      const reply = await create('acme', { remote_ids: ['b', 'a'], description: 'd' });
      expect(reply.status).to.equal(201);
      const { domain_id: domain, links, ...rest } = reply.body.identity_provider;
      expect(rest).to.deep.equal({
        id: 'acme',
        enabled: false,
        description: 'd',
        authorization_ttl: null,
        remote_ids: ['a', 'b'],
      });
      expect(links.protocols).to.equal(`${links.self}/protocols`);
      expect(links.self).to.match(/\/v3\/OS-FEDERATION\/identity_providers\/acme$/);
      const { body } = await ask(world, 'GET', `/v3/domains/${domain}`);
      expect(body.domain).to.include({
        name: domain,
        enabled: true,
        description: 'Auto generated federated domain for Identity Provider: acme',
      });
      expect((await show('acme')).body).to.deep.equal(reply.body);
    });

    it('uses the given domain, which must exist', async () => {
      const { body } = await create('acme', { domain_id: 'default', enabled: true });
      expect(body.identity_provider).to.include({ domain_id: 'default', enabled: true });
      const reply = await create('other', { domain_id: 'none' });
      expect([reply.status, message(reply)]).to.deep.equal([404, 'Could not find domain: none.']);
    });

    it('returns 409 for a taken id and for a taken remote id, and leaves no domain', async () => {
      await create('acme', { remote_ids: ['x'] });
      const domains = async () => (await ask(world, 'GET', '/v3/domains')).body.domains.length;
      const before = await domains();
      const again = await create('acme');
      expect([again.status, message(again)]).to.deep.equal([
        409,
        'Conflict occurred attempting to store identity_provider - Duplicate entry: acme.',
      ]);
      const taken = await create('other', { remote_ids: ['y', 'x'] });
      expect([taken.status, message(taken)]).to.deep.equal([
        409,
        'Conflict occurred attempting to store identity_provider - Duplicate remote ID: x.',
      ]);
      expect(await domains()).to.equal(before);
    });

    it('returns 400 for wrong attributes and an id that is too long', async () => {
      expect((await create('acme', { remote_ids: ['x', 'x'] })).status).to.equal(400);
      expect((await create('acme', { authorization_ttl: -1 })).status).to.equal(400);
      expect((await create('acme', { extra: 1 })).status).to.equal(400);
      expect((await create('a'.repeat(65))).status).to.equal(400);
    });

    it('returns 403 without the role admin', async () => {
      const token = await signIn(world, { name: 'demo' });
      const body = { identity_provider: {} };
      const reply = await ask(world, 'PUT', `${root}/identity_providers/acme`, { token, body });
      expect(reply.status).to.equal(403);
      expect((await show('acme')).status).to.equal(404);
    });
  });

  describe('GET /OS-FEDERATION/identity_providers', () => {
    it('filters by id and enabled', async () => {
      await create('one', { enabled: true });
      await create('two');
      expect(await idsIn('')).to.deep.equal(['one', 'two']);
      expect(await idsIn('?enabled=true')).to.deep.equal(['one']);
      expect(await idsIn('?enabled=false')).to.deep.equal(['two']);
      expect(await idsIn('?id=two')).to.deep.equal(['two']);
      expect(await idsIn('?id=two&enabled=true')).to.deep.equal([]);
      const { status } = await ask(world, 'GET', `${root}/identity_providers?enabled=maybe`);
      expect(status).to.equal(400);
    });

    it('returns pages', async () => {
      for (const id of ['a', 'b', 'c']) await create(id);
      const reply = await ask(world, 'GET', `${root}/identity_providers?limit=2`);
      expect(reply.body.identity_providers).to.have.length(2);
      expect(reply.body.truncated).to.equal(true);
      expect(await idsIn('?limit=2&marker=b')).to.deep.equal(['c']);
    });
  });

  describe('PATCH /OS-FEDERATION/identity_providers/{id}', () => {
    it('changes attributes, and replaces the remote ids', async () => {
      await create('acme', { remote_ids: ['x', 'y'], authorization_ttl: 5 });
      const reply = await update('acme', { remote_ids: ['y', 'z'], enabled: true });
      expect(reply.body.identity_provider).to.deep.include({
        remote_ids: ['y', 'z'],
        enabled: true,
        authorization_ttl: 5,
      });
      expect((await create('other', { remote_ids: ['x'] })).status).to.equal(201);
      expect((await update('other', { remote_ids: ['y'] })).status).to.equal(409);
      const cleared = await update('acme', { remote_ids: null, authorization_ttl: null });
      expect(cleared.body.identity_provider).to.deep.include({
        remote_ids: [],
        authorization_ttl: null,
      });
    });

    it('returns 400 for a domain, and 404 for an unknown provider', async () => {
      await create('acme');
      expect((await update('acme', { domain_id: 'default' })).status).to.equal(400);
      expect((await update('acme', {})).status).to.equal(400);
      const reply = await update('none', { enabled: true });
      expect([reply.status, message(reply)]).to.deep.equal([
        404,
        'Could not find Identity Provider: none.',
      ]);
    });
  });

  describe('DELETE /OS-FEDERATION/identity_providers/{id}', () => {
    it('deletes the protocols and frees the remote ids, but keeps the domain', async () => {
      const { domain_id: domain } = await put(world, 'identity_providers/acme', {
        remote_ids: ['x'],
      });
      await put(world, 'mappings/m', { rules: [rule] });
      await put(world, 'identity_providers/acme/protocols/openid', { mapping_id: 'm' });
      const path = `${root}/identity_providers/acme`;
      expect((await ask(world, 'DELETE', path)).status).to.equal(204);
      expect((await ask(world, 'DELETE', path)).status).to.equal(404);
      expect((await ask(world, 'GET', `${path}/protocols`)).body.protocols).to.deep.equal([]);
      expect((await ask(world, 'GET', `/v3/domains/${domain as string}`)).status).to.equal(200);
      expect((await create('acme', { remote_ids: ['x'] })).status).to.equal(201);
    });
  });

  it('deletes the providers of a domain with it', async () => {
    const { id } = await make(world, 'domain', { name: 'd', enabled: false });
    await create('acme', { domain_id: id });
    expect((await ask(world, 'DELETE', `/v3/domains/${id}`)).status).to.equal(204);
    expect((await show('acme')).status).to.equal(404);
  });

  describe('/OS-FEDERATION/identity_providers/{id}/protocols', () => {
    const at = `${root}/identity_providers/acme/protocols`;
    beforeEach(async () => {
      await create('acme');
      await put(world, 'mappings/m', { rules: [rule] });
      await put(world, 'mappings/n', { rules: [rule] });
    });
    const add = (fields: object, path = `${at}/openid`) =>
      ask(world, 'PUT', path, { body: { protocol: fields } });

    it('creates, shows, lists, updates and deletes a protocol', async () => {
      const reply = await add({ mapping_id: 'm', remote_id_attribute: 'ISS' });
      expect(reply.status).to.equal(201);
      expect(reply.body.protocol).to.have.all.keys('id', 'mapping_id', 'links');
      expect((await ask(world, 'GET', `${at}/openid`)).body).to.deep.equal(reply.body);
      const changed = await ask(world, 'PATCH', `${at}/openid`, {
        body: { protocol: { mapping_id: 'n' } },
      });
      expect(changed.body.protocol.mapping_id).to.equal('n');
      const { protocols } = (await ask(world, 'GET', at)).body;
      expect(protocols).to.have.length(1);
      expect(protocols[0]).to.include({
        id: 'openid',
        idp_id: 'acme',
        mapping_id: 'n',
        remote_id_attribute: 'ISS',
      });
      expect((await ask(world, 'DELETE', `${at}/openid`)).status).to.equal(204);
      const gone = await ask(world, 'GET', `${at}/openid`);
      expect([gone.status, message(gone)]).to.deep.equal([
        404,
        'Could not find federated protocol openid for Identity Provider: acme.',
      ]);
    });

    it('returns 400 for an unknown mapping, before 404 for an unknown provider', async () => {
      const path = `${root}/identity_providers/none/protocols/openid`;
      const unknown = await add({ mapping_id: 'none' }, path);
      expect([unknown.status, message(unknown)]).to.deep.equal([400, 'Invalid mapping id: none']);
      expect((await add({ mapping_id: 'm' }, path)).status).to.equal(404);
      const body = { protocol: { mapping_id: 'none' } };
      expect((await ask(world, 'PATCH', `${at}/none`, { body })).status).to.equal(400);
    });

    it('returns 409 for a second protocol with the id', async () => {
      await add({ mapping_id: 'm' });
      const reply = await add({ mapping_id: 'm' });
      expect([reply.status, message(reply)]).to.deep.equal([
        409,
        'Conflict occurred attempting to store federation_protocol - Duplicate entry found ' +
          'with ID openid.',
      ]);
    });
  });

  describe('/OS-FEDERATION/service_providers', () => {
    const at = `${root}/service_providers`;
    const urls = { auth_url: 'https://other/v3', sp_url: 'https://other/Shibboleth.sso' };

    it('creates, shows, lists, updates and deletes a service provider', async () => {
      const made = await put(world, 'service_providers/other', urls);
      expect(made).to.deep.include({
        id: 'other',
        ...urls,
        enabled: false,
        description: null,
        relay_state_prefix: 'ss:mem:',
      });
      const reply = await ask(world, 'PATCH', `${at}/other`, {
        body: { service_provider: { enabled: true, relay_state_prefix: 'x' } },
      });
      expect(reply.body.service_provider).to.include({ enabled: true, relay_state_prefix: 'x' });
      await put(world, 'service_providers/second', urls);
      const enabled = await ask(world, 'GET', `${at}?enabled=true`);
      expect(enabled.body.service_providers).to.have.length(1);
      expect((await ask(world, 'DELETE', `${at}/other`)).status).to.equal(204);
      const gone = await ask(world, 'GET', `${at}/other`);
      expect([gone.status, message(gone)]).to.deep.equal([
        404,
        'Could not find Service Provider: other.',
      ]);
    });

    it('returns 400 for attributes that are missing or wrong, and 409 for a taken id', async () => {
      const add = (fields: object) =>
        ask(world, 'PUT', `${at}/other`, { body: { service_provider: fields } });
      expect((await add({ auth_url: 'https://other' })).status).to.equal(400);
      expect((await add({ ...urls, sp_url: 'nothing' })).status).to.equal(400);
      expect((await add({ ...urls, relay_state_prefix: 'x'.repeat(257) })).status).to.equal(400);
      expect((await add(urls)).status).to.equal(201);
      const reply = await add(urls);
      expect([reply.status, message(reply)]).to.deep.equal([
        409,
        'Conflict occurred attempting to store service_provider - Duplicate entry found ' +
          'with ID other.',
      ]);
    });
  });
});
