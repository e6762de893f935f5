// Tokens for clients of OAuth 2.0.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, ids } from '../support.ts';

onEachDatabase('identity: OAuth 2.0', {}, (world) => {
  const path = '/v3/OS-OAUTH2/token';
  const credential = async (fields: object = {}): Promise<{ id: string; secret: string }> => {
    const reply = await ask(world, 'POST', `/v3/users/${ids.admin}/application_credentials`, {
      body: { application_credential: { name: 'a', ...fields } },
    });
    return (reply.body as { application_credential: { id: string; secret: string } })
      .application_credential;
  };
  const post = (form: Record<string, string>, headers: Record<string, string> = {}) =>
    ask(world, 'POST', path, {
      token: null,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(form).toString(),
    });
  const grant = { grant_type: 'client_credentials' };
  const basic = (id: string, secret: string) => ({
    authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
  });

  it('are issued for an application credential in the header or in the form', async () => {
    const { id, secret } = await credential({ roles: [{ name: 'reader' }] });
    const replies = [
      await post(grant, basic(id, secret)),
      await post({ ...grant, client_id: id, client_secret: secret }),
    ];
    for (const reply of replies) {
      expect(reply.status).to.equal(200);
      const { access_token: token, ...rest } = reply.body as { access_token: string };
      expect(rest).to.deep.equal({ token_type: 'Bearer', expires_in: 3600 });
      const { body } = await ask(world, 'GET', '/v3/auth/tokens', {
        headers: { 'x-subject-token': token },
      });
      const shown = (body as { token: { methods: string[]; roles: { name: string }[] } }).token;
      expect(shown.methods).to.deep.equal(['application_credential']);
      expect(shown.roles.map(({ name }) => name)).to.deep.equal(['reader']);
    }
  });

  it('return 400 for a missing or unsupported grant type', async () => {
    const missing = await post({});
    expect(missing.status).to.equal(400);
    expect(missing.body).to.deep.equal({
      error: 'invalid_request',
      error_description: 'The parameter grant_type is required.',
    });
    const json = await ask(world, 'POST', path, { token: null, body: grant });
    expect(json.body).to.deep.equal(missing.body);
    const other = await post({ grant_type: 'password' });
    expect(other.status).to.equal(400);
    expect(other.body).to.deep.equal({
      error: 'unsupported_grant_type',
      error_description: 'The parameter grant_type password is not supported.',
    });
  });

  it('return 401 without a client or with a wrong secret, and 404 for an unknown one', async () => {
    const { id } = await credential();
    for (const headers of [{}, basic('', 'x'), basic(id, ''), { authorization: 'Bearer x' }]) {
      const reply = await post(grant, headers);
      expect(reply.status).to.equal(401);
      expect(reply.body).to.deep.equal({
        error: 'invalid_client',
        error_description: 'Client authentication failed.',
      });
    }
    const wrong = await post(grant, basic(id, 'x'));
    expect(wrong.status).to.equal(401);
    expect(wrong.headers['www-authenticate']).to.match(/^Keystone uri="http:.*\/v3"$/);
    expect(wrong.body).to.deep.equal({
      error: 'invalid_client',
      error_description: 'The request you have made requires authentication.',
    });
    const unknown = await post(grant, basic('nope', 'x'));
    expect(unknown.status).to.equal(404);
    expect(unknown.body).to.deep.equal({
      error: 'other_error',
      error_description: 'An unknown error occurred and failed to get an OAuth2.0 access token.',
    });
  });

  it('return 405 in the format of OAuth for other methods', async () => {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const reply = await ask(world, method, path, { token: null });
      expect(reply.status).to.equal(405);
      expect(reply.body).to.deep.equal({
        error: 'other_error',
        error_description: 'The method is not allowed for the requested URL.',
      });
    }
  });
});
