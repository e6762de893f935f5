// Tests that the journal contains no secrets, by searching all of it after requests with secrets.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { signatureOf } from '../../../src/services/identity/domain/credential/ec2-signatures.ts';
import {
  ask,
  authBody,
  ids,
  onProject,
  signIn,
  signInReply,
} from '../../services/identity/support.ts';
import { journalOf } from './support.ts';

onEachDatabase('secrets in the journal', { hosts: '1' }, (world) => {
  const journal = journalOf(world);

  beforeEach(() => journal.keep(1000));
  afterEach(() => journal.keep(0));

  /** Everything in the journal, including columns that the API does not show. */
  const everything = async (): Promise<string> => {
    const shown = JSON.stringify(await journal.page('limit=1000&inside=any'));
    return shown + JSON.stringify(await world.cloud.central.db('journal_requests').select());
  };
  const expectNone = async (secrets: Readonly<Record<string, string>>): Promise<void> => {
    const text = await everything();
    const quoted = (secret: string): string => JSON.stringify(secret).slice(1, -1);
    const found = Object.entries(secrets).filter(([, secret]) =>
      [secret, quoted(secret), encodeURIComponent(secret)].some((one) => text.includes(one)),
    );
    expect(found).to.deep.equal([]);
  };

  it('contains no secret of any authentication method, and no token', async () => {
    const password = `pass"word-${'é'.repeat(3)}`;
    const token = await signIn(world);
    const user = await ask(world, 'POST', '/v3/users', {
      token,
      body: { user: { name: 'eva', password } },
    });
    const { id } = (user.body as { user: { id: string } }).user;
    await ask(
      world,
      'PUT',
      `/v3/projects/${ids.demoProject}/users/${id}/roles/${ids.role('member')}`,
      { token },
    );
    const own = await signIn(world, { name: 'eva', password, scope: onProject('demo') });
    const again = await signIn(world, {
      identity: { methods: ['token'], token: { id: own } },
      scope: onProject('demo'),
    });
    const path = `/v3/users/${id}/application_credentials`;
    const chosen = 'a secret of my own';
    const body = { application_credential: { name: 'ci', secret: chosen } };
    const credential = (await ask(world, 'POST', path, { token: own, body })).body as {
      application_credential: { id: string };
    };
    const made = (
      await ask(world, 'POST', path, {
        token: own,
        body: { application_credential: { name: 'auto' } },
      })
    ).body as {
      application_credential: { secret: string };
    };
    const byCredential = {
      methods: ['application_credential'],
      application_credential: { id: credential.application_credential.id, secret: chosen },
    };
    const bound = await signIn(world, { identity: byCredential, scope: null });
    const keys = (
      await ask(world, 'POST', `/v3/users/${id}/credentials/OS-EC2`, {
        token: own,
        body: { tenant_id: ids.demoProject },
      })
    ).body as { credential: { access: string; secret: string } };
    const { access, secret } = keys.credential;
    const asked = {
      verb: 'GET',
      host: 'ec2',
      path: '/',
      params: { SignatureVersion: '2' },
      headers: {},
      bodyHash: 'b',
    };
    const signature = signatureOf(asked, secret)!;
    const signed = {
      ...asked,
      body_hash: 'b',
      access,
      signature,
      headers: { Authorization: `AWS ${signature}` },
    };
    const ec2 = await ask(world, 'POST', '/v3/ec2tokens', { token, body: { credentials: signed } });
    expect(ec2.status).to.equal(200);
    await ask(world, 'GET', '/v3/auth/tokens', { token, headers: { 'x-subject-token': own } });
    await ask(
      world,
      'GET',
      `/v3/users?password=${encodeURIComponent(password)}&p%61ssword=hunter2`,
      { token },
    );
    await ask(world, 'GET', `/v2.0/tokens/${own}`, { token });
    await ask(world, 'POST', `/v3/users/${id}/password`, {
      token,
      body: { user: { original_password: password, password: 'next one' } },
    });
    await ask(world, 'DELETE', '/v3/auth/tokens', { token, headers: { 'x-subject-token': again } });
    await ask(world, 'GET', '/v3/users', { token: again });
    expect(await journal.list('limit=1000')).to.have.length.greaterThan(15);
    await expectNone({
      password,
      token,
      own,
      again,
      bound,
      chosen,
      made: made.application_credential.secret,
      secret,
      signature,
      next: 'next one',
      hunter: 'hunter2',
      ec2: String(ec2.headers['x-subject-token'] ?? 'none was given'),
    });
  });

  it('contains no secret that an error response quotes', async () => {
    const wrong = 'wrong-"pass\\word';
    await signInReply(world, { password: wrong }).expect(401);
    await world
      .ask('identity', 'POST', '/identity/v3/auth/tokens', {
        token: null,
        body: {
          auth: { identity: { methods: ['password'], password: { user: { password: [wrong] } } } },
        },
      })
      .expect(400);
    await world
      .ask('identity', 'POST', '/identity/v3/auth/tokens', {
        token: null,
        body: `{"auth": "${wrong}`,
      })
      .expect(400);
    const token = await signIn(world);
    const change = { changePassword: { adminPass: [wrong] } };
    const act = await world.ask('compute', 'POST', '/compute/v2.1/servers/x/action', {
      token,
      body: change,
    });
    expect(act.text).to.contain('adminPass').and.not.contain('wrong-');
    await expectNone({ wrong: 'wrong-', token });
  });

  it('contains no secret of servers and credentials', async () => {
    const token = await signIn(world);
    const secrets = {
      data: 'I2Nsb3VkLWNvbmZpZw==',
      file: 'cm9vdDp4OjA=',
      pass: 'adminpass1',
      blob: 'totpseed',
      meta: 'metapass',
    };
    const server = {
      name: 's',
      flavorRef: '1',
      imageRef: '',
      networks: 'none',
      adminPass: secrets.pass,
      user_data: secrets.data,
    };
    const more = {
      personality: [{ path: '/etc/shadow', contents: secrets.file }],
      metadata: { db_password: secrets.meta },
    };
    await world.ask('compute', 'POST', '/compute/v2.1/servers', {
      token,
      version: '2.1',
      body: { server: { ...server, ...more } },
    });
    const credential = { type: 'totp', user_id: ids.admin, blob: secrets.blob };
    await ask(world, 'POST', '/v3/credentials', { token, body: { credential } });
    const [sent] = await journal.list('service=compute');
    expect(sent!.request_body).to.deep.include({
      server: {
        ...server,
        ...more,
        adminPass: '***',
        user_data: '***',
        personality: [{ path: '/etc/shadow', contents: '***' }],
        metadata: { db_password: '***' },
      },
    });
    await expectNone({ ...secrets, token });
  });

  it('masks only the password in the body of an authentication request', async () => {
    await signIn(world, { name: 'demo' });
    const [entry] = await journal.list('operation=auth_tokens:create');
    const expected = authBody({ name: 'demo', password: '***' });
    expect(entry!.request_body).to.deep.equal(expected);
  });
});
