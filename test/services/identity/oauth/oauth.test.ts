// OAuth 1.0a: consumers, request tokens, access tokens, and signing in with them.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, ids, make, makeUser, message, signIn } from '../support.ts';
import { oauthHeader, type OAuthKeys } from './support.ts';

interface Consumer {
  readonly id: string;
  readonly secret: string;
  readonly links: { readonly self: string };
}
type Keys = NonNullable<OAuthKeys['token']>;

onEachDatabase('identity: OAuth 1.0a', {}, (world) => {
  const root = '/v3/OS-OAUTH1';
  const noon = Date.parse('2026-11-20T12:00:00Z') / 1000;
  const makeConsumer = async (fields: object = {}): Promise<Consumer> => {
    const reply = await ask(world, 'POST', `${root}/consumers`, { body: { consumer: fields } });
    expect(reply.status).to.equal(201);
    return (reply.body as { consumer: Consumer }).consumer;
  };

  /** Sends a POST that is signed with the keys. */
  const signed = (
    path: string,
    consumer: Consumer,
    keys: Omit<OAuthKeys, 'consumer'> = {},
    {
      body,
      headers = {},
      seconds = noon,
    }: { body?: object; headers?: object; seconds?: number } = {},
  ) => {
    const url = `${new URL(consumer.links.self).origin}/identity${path}`;
    const authorization = oauthHeader(url, { consumer, ...keys }, seconds);
    const sent = { token: null, headers: { ...headers, authorization } };
    return ask(world, 'POST', path, body ? { ...sent, body } : sent);
  };
  const toRequest = (
    consumer: Consumer,
    more: Record<string, string> = {},
    project = ids.demoProject,
    seconds = noon,
  ) =>
    signed(
      `${root}/request_token`,
      consumer,
      { more: { oauth_callback: 'oob', ...more } },
      { headers: { 'requested-project-id': project }, seconds },
    );
  const keysIn = ({ text }: { text: string }): Keys => {
    const form = new URLSearchParams(text);
    return { id: form.get('oauth_token')!, secret: form.get('oauth_token_secret')! };
  };
  const requestToken = async (consumer: Consumer): Promise<Keys> => {
    const reply = await toRequest(consumer);
    expect(reply.status).to.equal(201);
    return keysIn(reply);
  };
  const authorize = (id: string, roles: object[], token?: string) =>
    ask(world, 'PUT', `${root}/authorize/${id}`, { body: { roles }, ...(token ? { token } : {}) });
  const verifierFor = async (id: string, ...names: string[]): Promise<string> => {
    const reply = await authorize(
      id,
      names.map((name) => ({ name })),
    );
    expect(reply.status).to.equal(200);
    return (reply.body as { token: { oauth_verifier: string } }).token.oauth_verifier;
  };
  const exchange = (consumer: Consumer, token: Keys, verifier: string) =>
    signed(`${root}/access_token`, consumer, { token, more: { oauth_verifier: verifier } });
  const accessToken = async (consumer: Consumer, ...roles: string[]): Promise<Keys> => {
    const token = await requestToken(consumer);
    const reply = await exchange(consumer, token, await verifierFor(token.id, ...roles));
    expect(reply.status).to.equal(201);
    return keysIn(reply);
  };
  const signInWith = (consumer: Consumer, token: Keys, seconds?: number) =>
    signed(
      '/v3/auth/tokens',
      consumer,
      { token },
      {
        body: { auth: { identity: { methods: ['oauth1'], oauth1: {} } } },
        ...(seconds ? { seconds } : {}),
      },
    );

  describe('consumers', () => {
    it('have a secret that only the reply to the creation shows', async () => {
      const { secret, ...consumer } = await makeConsumer({ description: 'd', color: 'blue' });
      expect(secret).to.match(/^[0-9a-f]{32}$/);
      expect(consumer).to.include({ description: 'd', color: 'blue' });
      const path = `${root}/consumers/${consumer.id}`;
      expect(consumer.links.self).to.contain(path);
      expect((await ask(world, 'GET', path)).body).to.deep.equal({ consumer });
      const { body } = await ask(world, 'GET', `${root}/consumers`);
      expect((body as { consumers: object[] }).consumers).to.deep.equal([consumer]);
    });

    it('are updated, except for their id and secret', async () => {
      const { id } = await makeConsumer({ color: 'blue' });
      const update = (consumer: object) =>
        ask(world, 'PATCH', `${root}/consumers/${id}`, { body: { consumer } });
      const updated = await update({ description: 'new', size: 1 });
      expect(updated.status).to.equal(200);
      expect((updated.body as { consumer: object }).consumer).to.include({
        description: 'new',
        color: 'blue',
        size: 1,
      });
      for (const fields of [{ secret: 'x' }, {}, { id: 'x' }, { description: 5 }])
        expect((await update(fields)).status).to.equal(400);
    });

    it('are deleted with their tokens, which ends what was issued for them', async () => {
      const consumer = await makeConsumer();
      const access = await accessToken(consumer, 'reader');
      const token = (await signInWith(consumer, access)).headers['x-subject-token'] as string;
      expect((await ask(world, 'GET', '/v3/auth/catalog', { token })).status).to.equal(200);
      const path = `${root}/consumers/${consumer.id}`;
      expect((await ask(world, 'DELETE', path)).status).to.equal(204);
      expect((await ask(world, 'GET', '/v3/auth/catalog', { token })).status).to.equal(401);
      expect((await signInWith(consumer, access)).status).to.equal(404);
      const gone = await ask(world, 'GET', path);
      expect([gone.status, message(gone)]).to.deep.equal([404, 'Consumer not found']);
      const { body } = await ask(world, 'GET', '/v3/OS-REVOKE/events');
      expect((body as { events: object[] }).events[0]).to.include({
        'OS-OAUTH1:consumer_id': consumer.id,
      });
    });

    it('are for administrators', async () => {
      const token = await signIn(world, { name: 'demo' });
      for (const method of ['GET', 'POST']) {
        const body = method === 'POST' ? { body: { consumer: {} } } : {};
        const reply = await ask(world, method, `${root}/consumers`, { token, ...body });
        expect(reply.status).to.equal(403);
      }
    });
  });

  describe('POST /OS-OAUTH1/request_token', () => {
    it('returns a token that expires after eight hours', async () => {
      const reply = await toRequest(await makeConsumer());
      expect(reply.status).to.equal(201);
      expect(reply.headers['content-type']).to.contain('application/x-www-form-urlencoded');
      expect(reply.text).to.match(
        /^oauth_token=[0-9a-f]{32}&oauth_token_secret=[0-9a-f]{32}&oauth_expires_at=2026-11-20T20:00:00\.000000Z$/,
      );
    });

    it('accepts HMAC-SHA1, HMAC-SHA256, HMAC-SHA512 and PLAINTEXT', async () => {
      const consumer = await makeConsumer();
      for (const oauth_signature_method of ['HMAC-SHA256', 'HMAC-SHA512', 'PLAINTEXT'])
        expect((await toRequest(consumer, { oauth_signature_method })).status).to.equal(201);
    });

    it('includes the query in the signature', async () => {
      const consumer = await makeConsumer();
      const more = { oauth_callback: 'oob' };
      const headers = { 'requested-project-id': ids.demoProject };
      const path = `${root}/request_token?b=%C3%A9+1&a=~(!)`;
      expect((await signed(path, consumer, { more }, { headers })).status).to.equal(201);
    });

    it('returns 401 for a wrong signature', async () => {
      const consumer = await makeConsumer();
      const wrong = await toRequest({ ...consumer, secret: 'x' });
      expect(wrong.status).to.equal(401);
    });

    it('returns 400 that says which parameter is wrong', async () => {
      const consumer = await makeConsumer();
      const invalid = 'Validation failed with errors: invalid_request, detail message is: ';
      const refused: [Record<string, string>, string][] = [
        [{ oauth_nonce: '' }, 'Missing mandatory OAuth parameters..'],
        [{ oauth_version: '2.0' }, 'Invalid OAuth version..'],
        [{ oauth_timestamp: '12' }, 'Invalid timestamp size.'],
        [{ oauth_timestamp: 'abcdefghij' }, 'Timestamp must be an integer..'],
        [{ oauth_nonce: 'xyz' }, 'Invalid nonce format..'],
        [{ oauth_callback: '' }, 'Missing callback URI..'],
      ];
      for (const [more, detail] of refused) {
        const reply = await toRequest(consumer, more);
        expect([reply.status, message(reply)]).to.deep.equal([400, invalid + detail]);
      }
      const late = await toRequest(consumer, {}, ids.demoProject, noon - 601);
      expect(message(late)).to.contain('differ from allowed by over 600 seconds');
      const method = await toRequest(consumer, { oauth_signature_method: 'RSA-SHA1' });
      expect(message(method)).to.contain('invalid_signature_method');
    });

    it('returns 400 without a header, and 404 for an unknown consumer or project', async () => {
      const path = `${root}/request_token`;
      for (const authorization of [undefined, 'Basic abc', 'OAuth ', 'OAuth nonsense']) {
        const headers = authorization === undefined ? {} : { authorization };
        expect((await ask(world, 'POST', path, { token: null, headers })).status).to.equal(400);
      }
      const consumer = await makeConsumer();
      expect((await toRequest(consumer, {}, 'x')).status).to.equal(404);
      expect((await toRequest({ ...consumer, id: 'x' })).status).to.equal(404);
    });
  });

  describe('PUT /OS-OAUTH1/authorize/{request_token_id}', () => {
    it('returns 401 for a role that the user does not have, 404 for an unknown one', async () => {
      const { id } = await requestToken(await makeConsumer());
      const role = await make(world, 'role', { name: 'r' });
      expect((await authorize(id, [{ id: role.id }])).status).to.equal(401);
      expect((await authorize(id, [{ name: 'nope' }])).status).to.equal(404);
      expect((await authorize('x', [{ name: 'reader' }])).status).to.equal(404);
      for (const roles of [[{}], [{ id: 'a', name: 'b' }], [5]])
        expect((await authorize(id, roles as object[])).status).to.equal(400);
    });

    it('returns 401 after the request token has expired', async () => {
      const { id } = await requestToken(await makeConsumer());
      await world.setTime('2026-11-20T20:00:01Z');
      expect((await authorize(id, [{ name: 'reader' }])).status).to.equal(401);
    });

    it('is forbidden with a token of OAuth', async () => {
      const consumer = await makeConsumer();
      const access = await accessToken(consumer, 'admin');
      const token = (await signInWith(consumer, access)).headers['x-subject-token'] as string;
      const { id } = await requestToken(consumer);
      expect((await authorize(id, [{ name: 'reader' }], token)).status).to.equal(403);
    });
  });

  describe('POST /OS-OAUTH1/access_token', () => {
    it('exchanges a request token once', async () => {
      const consumer = await makeConsumer();
      const token = await requestToken(consumer);
      const verifier = await verifierFor(token.id, 'reader');
      const reply = await exchange(consumer, token, verifier);
      expect(reply.status).to.equal(201);
      expect(reply.text).to.contain('oauth_expires_at=2026-11-21T12:00:00.000000Z');
      const again = await exchange(consumer, token, verifier);
      expect([again.status, message(again)]).to.deep.equal([404, 'Request token not found']);
    });

    it('returns 401 for another verifier, consumer or secret, or before the authorization', async () => {
      const consumer = await makeConsumer();
      const token = await requestToken(consumer);
      expect((await exchange(consumer, token, 'abcdefgh')).status).to.equal(401);
      const verifier = await verifierFor(token.id, 'reader');
      expect((await exchange(await makeConsumer(), token, verifier)).status).to.equal(401);
      expect((await exchange(consumer, { ...token, secret: 'x' }, verifier)).status).to.equal(401);
      expect((await exchange(consumer, token, 'abcdefgh')).status).to.equal(401);
      expect((await exchange(consumer, token, 'short')).status).to.equal(400);
      expect((await exchange(consumer, token, verifier)).status).to.equal(201);
    });
  });

  describe('signing in', () => {
    it('gives the delegated roles and those that they imply, on the project', async () => {
      const consumer = await makeConsumer();
      const access = await accessToken(consumer, 'member');
      const reply = await signInWith(consumer, access);
      expect(reply.status).to.equal(201);
      const { token } = reply.body as { token: Record<string, unknown> & { roles: object[] } };
      expect(token['methods']).to.deep.equal(['oauth1']);
      expect(token['user']).to.include({ id: ids.admin });
      expect(token['project']).to.include({ id: ids.demoProject });
      expect(token.roles.map((role) => (role as { name: string }).name)).to.deep.equal([
        'member',
        'reader',
      ]);
      expect(token['OS-OAUTH1']).to.deep.equal({
        access_token_id: access.id,
        consumer_id: consumer.id,
      });
      const subject = reply.headers['x-subject-token'] as string;
      const shown = await ask(world, 'GET', '/v3/auth/tokens', {
        headers: { 'x-subject-token': subject },
      });
      expect(shown.body).to.deep.equal(reply.body);
    });

    it('returns 401 for a wrong secret, and after the access token has expired', async () => {
      const consumer = await makeConsumer();
      const access = await accessToken(consumer, 'member');
      expect((await signInWith(consumer, { ...access, secret: 'x' })).status).to.equal(401);
      expect((await signInWith({ ...consumer, secret: 'x' }, access)).status).to.equal(401);
      expect((await signInWith(consumer, access, noon + 601)).status).to.equal(401);
      expect((await signInWith(consumer, { ...access, id: '0'.repeat(32) })).status).to.equal(404);
      await world.setTime('2026-11-21T12:00:01Z');
      const later = Date.parse('2026-11-21T12:00:01Z') / 1000;
      expect((await signInWith(consumer, access, later)).status).to.equal(401);
    });

    it('returns 400 without a signature', async () => {
      const body = { auth: { identity: { methods: ['oauth1'], oauth1: {} } } };
      expect((await ask(world, 'POST', '/v3/auth/tokens', { token: null, body })).status).to.equal(
        400,
      );
    });

    it('gives a token that no other token is issued for, and that creates no credentials', async () => {
      const consumer = await makeConsumer();
      const access = await accessToken(consumer, 'admin');
      const token = (await signInWith(consumer, access)).headers['x-subject-token'] as string;
      const body = { auth: { identity: { methods: ['token'], token: { id: token } } } };
      const exchanged = await ask(world, 'POST', '/v3/auth/tokens', { token: null, body });
      expect(exchanged.status).to.equal(403);
      expect(message(exchanged)).to.contain('Using OAuth-scoped token to create another token');
      const own = await ask(world, 'POST', `/v3/users/${ids.admin}/application_credentials`, {
        token,
        body: { application_credential: { name: 'a' } },
      });
      expect(own.status).to.equal(403);
      const trust = await ask(world, 'POST', '/v3/OS-TRUST/trusts', {
        token,
        body: {
          trust: {
            trustor_user_id: ids.admin,
            trustee_user_id: ids.demo,
            impersonation: false,
            project_id: ids.demoProject,
            roles: [{ name: 'member' }],
          },
        },
      });
      expect(message(trust)).to.contain('Redelegation allowed for delegated by trust only');
    });
  });

  describe('/users/{user_id}/OS-OAUTH1/access_tokens', () => {
    const own = `/v3/users/${ids.admin}/OS-OAUTH1/access_tokens`;

    it('lists, shows and deletes the tokens of a user, with their roles', async () => {
      const consumer = await makeConsumer();
      const { id } = await accessToken(consumer, 'member', 'reader');
      const { body } = await ask(world, 'GET', own);
      const [view, ...others] = (body as { access_tokens: Record<string, unknown>[] })
        .access_tokens;
      expect(others).to.deep.equal([]);
      expect(view).to.deep.include({
        id,
        consumer_id: consumer.id,
        authorizing_user_id: ids.admin,
        project_id: ids.demoProject,
        expires_at: '2026-11-21T12:00:00.000000Z',
      });
      expect((await ask(world, 'GET', `${own}/${id}`)).body).to.deep.equal({ access_token: view });
      const roles = await ask(world, 'GET', `${own}/${id}/roles`);
      expect(
        (roles.body as { roles: { name: string }[] }).roles.map(({ name }) => name),
      ).to.have.members(['member', 'reader']);
      const role = (name: string) => ask(world, 'GET', `${own}/${id}/roles/${ids.role(name)}`);
      expect((await role('member')).status).to.equal(200);
      expect((await role('admin')).status).to.equal(404);
      expect((await ask(world, 'DELETE', `${own}/${id}`)).status).to.equal(204);
      expect((await ask(world, 'GET', `${own}/${id}`)).status).to.equal(404);
    });

    it('refuses the tokens of another user in the path', async () => {
      const { id } = await accessToken(await makeConsumer(), 'member');
      const other = `/v3/users/${await makeUser(world, 'u')}/OS-OAUTH1/access_tokens`;
      expect((await ask(world, 'GET', `${other}/${id}`)).status).to.equal(404);
      expect((await ask(world, 'GET', `${other}/${id}/roles`)).status).to.equal(404);
      expect((await ask(world, 'DELETE', `${other}/${id}`)).status).to.equal(401);
      const token = await signIn(world, { name: 'demo' });
      expect((await ask(world, 'GET', own, { token })).status).to.equal(403);
    });
  });
});
