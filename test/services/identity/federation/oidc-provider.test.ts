// The OpenID providers for tests: their document, their users, and how clients get tokens.
import { expect } from 'chai';
import { compactVerify, importJWK, type JWK } from 'jose';
import { onEachDatabase } from '../../../support/cloud.ts';
import { issuer, requestToken, setUser } from './support.ts';

onEachDatabase('identity: OpenID providers', {}, (world) => {
  const get = (path: string, authorization?: string) =>
    world.ask('identity', 'GET', `${issuer}${path}`, {
      token: null,
      ...(authorization === undefined ? {} : { headers: { authorization } }),
    });
  const basic = (name: string, password: string): string =>
    `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
  const byPassword = { grant_type: 'password', username: 'ann', password: 'pw' };
  const error = (reply: { body: unknown }): string => (reply.body as { error: string }).error;
  const claimsOf = (token: string): Record<string, unknown> =>
    JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<
      string,
      unknown
    >;

  beforeEach(() => setUser(world, 'ann', { email: 'ann@partner', groups: ['a'], sub: 'other' }));

  it('describe themselves, with endpoints below their URL', async () => {
    const { body } = await get('/.well-known/openid-configuration').expect(200);
    const document = body as Record<string, string>;
    expect(document['issuer']).to.match(/\/identity\/oidc\/partner$/);
    for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'])
      expect(document[name]!.startsWith(`${document['issuer']}/`), name).to.equal(true);
  });

  it('sign tokens with the key that they publish', async () => {
    const { body: keys } = await get('/jwks').expect(200);
    const { body } = await requestToken(world, { ...byPassword, client_id: 'cli' }).expect(200);
    const [jwk] = (keys as { keys: JWK[] }).keys;
    expect(jwk).to.not.have.property('d');
    const token = (body as { access_token: string }).access_token;
    const { payload } = await compactVerify(token, await importJWK(jwk!, 'ES256'));
    expect(JSON.parse(new TextDecoder().decode(payload))).to.deep.include({
      sub: 'ann',
      aud: 'cli',
      email: 'ann@partner',
      groups: ['a'],
      preferred_username: 'ann',
      iat: Date.parse('2026-11-20T12:00:00Z') / 1000,
      exp: Date.parse('2026-11-20T13:00:00Z') / 1000,
    });
  });

  it('refuse wrong passwords, wrong clients and unknown grants', async () => {
    const refused = async (form: Record<string, string>, authorization?: string) => {
      const reply = await requestToken(world, form, authorization);
      return [reply.status, error(reply)];
    };
    const { grant_type: type } = byPassword;
    expect(await refused({ ...byPassword, password: 'x' })).to.deep.equal([400, 'invalid_grant']);
    expect(await refused({ ...byPassword, username: 'x' })).to.deep.equal([400, 'invalid_grant']);
    expect(await refused({ grant_type: type })).to.deep.equal([400, 'invalid_grant']);
    const client = { grant_type: 'client_credentials' };
    expect(await refused(client)).to.deep.equal([401, 'invalid_client']);
    expect(await refused(client, basic('ann', 'x'))).to.deep.equal([401, 'invalid_client']);
    expect(await refused({})).to.deep.equal([400, 'invalid_request']);
    expect(await refused({ grant_type: 'x' })).to.deep.equal([400, 'unsupported_grant_type']);
  });

  it('give tokens to clients, whose credentials are in the header or in the form', async () => {
    const client = { grant_type: 'client_credentials' };
    await requestToken(world, client, basic('ann', 'pw')).expect(200);
    const inForm = { ...client, client_id: 'ann', client_secret: 'pw' };
    const { body } = await requestToken(world, inForm).expect(200);
    const { access_token: token } = body as { access_token: string };
    expect(claimsOf(token)).to.include({ sub: 'ann', aud: 'ann' });
  });

  it('have users of their own', async () => {
    const path = '/identity/oidc/elsewhere/token';
    const reply = await world.ask('identity', 'POST', path, {
      token: null,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(byPassword).toString(),
    });
    expect(error(reply)).to.equal('invalid_grant');
  });

  it('exchange the code of a user for a token, for the client that got it', async () => {
    const uri = 'http://client/callback?x=1';
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: 'cli',
      redirect_uri: uri,
      state: 's',
      nonce: 'n',
    });
    const path = `/authorize?${query.toString()}`;
    for (const authorization of [undefined, basic('ann', 'x')]) {
      const reply = await get(path, authorization).expect(401);
      expect(reply.headers['www-authenticate']).to.match(/^Basic /);
    }
    const reply = await get(path, basic('ann', 'pw')).expect(302);
    const location = new URL(reply.headers['location'] as string);
    expect(location.href.startsWith(`${uri}&`)).to.equal(true);
    expect(location.searchParams.get('state')).to.equal('s');
    const form = {
      grant_type: 'authorization_code',
      code: location.searchParams.get('code')!,
      client_id: 'cli',
      redirect_uri: uri,
    };
    const { body } = await requestToken(world, form).expect(200);
    const claims = claimsOf((body as { id_token: string }).id_token);
    expect(claims).to.include({ sub: 'ann', nonce: 'n' });
    for (const wrong of [{ client_id: 'x' }, { redirect_uri: 'http://x' }, { code: 'x' }])
      expect(error(await requestToken(world, { ...form, ...wrong }))).to.equal('invalid_grant');
    await world.http.post('/_emulator/clock/advance').send({ seconds: 61 }).expect(200);
    expect(error(await requestToken(world, form))).to.equal('invalid_grant');
  });

  it('refuse to send a code to no URL, for no client, or by another flow', async () => {
    const refused = async (parameters: Record<string, string>) =>
      error(
        await get(`/authorize?${new URLSearchParams(parameters).toString()}`, basic('ann', 'pw')),
      );
    const valid = { response_type: 'code', client_id: 'cli', redirect_uri: 'http://client' };
    expect(await refused({ ...valid, redirect_uri: 'javascript:x' })).to.equal('invalid_request');
    expect(await refused({ ...valid, client_id: '' })).to.equal('invalid_request');
    expect(await refused({ ...valid, response_type: 'token' })).to.equal(
      'unsupported_response_type',
    );
  });

  describe('/_emulator/oidc/{issuer}/users', () => {
    const users = '/_emulator/oidc/partner/users';

    it('creates, replaces, lists and deletes users, without their passwords', async () => {
      await setUser(world, 'ben');
      await setUser(world, 'ann', { role: 'x' });
      const { body } = await world.http.get(users).expect(200);
      expect(body).to.deep.equal({
        users: [
          { name: 'ann', claims: { role: 'x' } },
          { name: 'ben', claims: {} },
        ],
      });
      await world.http.delete(`${users}/ann`).expect(204);
      await world.http.delete(`${users}/ann`).expect(404);
      expect(error(await requestToken(world, byPassword))).to.equal('invalid_grant');
    });

    it('returns 400 without a password and for names that are too long', async () => {
      await world.http.put(`${users}/ann`).send({ claims: {} }).expect(400);
      await world.http
        .put(`${users}/${'a'.repeat(256)}`)
        .send({ password: 'x' })
        .expect(400);
    });
  });
});
