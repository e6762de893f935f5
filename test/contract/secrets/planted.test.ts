// Sends secrets in places that no contract marks: metadata, queries, paths, URLs, and objects in
// place of texts. None of them may be recorded.
import { expect } from 'chai';
import type { Test } from 'supertest';
import { onEachDatabase } from '../../support/cloud.ts';
import { authBody, ids, signIn } from '../../services/identity/support.ts';
import { collectRecords, leaksOf, type Records } from './records.ts';

onEachDatabase('planted secrets', { hosts: '1' }, (world) => {
  const secrets = new Map<string, string>();
  let records: Records;
  let token: string;

  /** A new secret, which no other text contains. */
  const plant = (what: string): string => {
    const secret = `planted${secrets.size}${'x'.repeat(20)}End`;
    secrets.set(what, secret);
    return secret;
  };
  const send = (service: string, method: string, path: string, body?: unknown): Test =>
    world.ask(service, method, `/${service}${path}`, { token, body });

  beforeEach(async () => {
    secrets.clear();
    await world.http.put('/_emulator/requests').send({ keep: 1000 }).expect(200);
    token = await signIn(world);
    records = collectRecords(world);
  });
  afterEach(async () => {
    records.stop();
    await world.http.put('/_emulator/requests').send({ keep: 0 }).expect(200);
  });
  const expectNoLeaks = async (): Promise<void> => {
    expect([...secrets].length).to.be.above(0);
    expect(await leaksOf(records, secrets)).to.deep.equal([]);
  };

  it('are not recorded if they are objects in place of texts', async () => {
    const password = { inside: plant('password of a sign-in') };
    const byPassword = authBody({ password: password as never });
    await send('identity', 'POST', '/v3/auth/tokens', byPassword).expect(400);
    const user = { name: 'n', password: { inside: [plant('password of a new user')] } };
    await send('identity', 'POST', '/v3/users', { user }).expect(400);
    const server = { name: 's', flavorRef: '1', imageRef: '', networks: 'none' };
    const data = { a: { b: plant('user_data') }, c: 12_345_678 };
    await send('compute', 'POST', '/v2.1/servers', { server: { ...server, user_data: data } });
    const changePassword = { adminPass: { inside: plant('adminPass') } };
    await send('compute', 'POST', '/v2.1/servers/x/action', { changePassword });
    await expectNoLeaks();
  });

  it('are not recorded if they are in a path', async () => {
    await send('clustering', 'POST', `/v1/webhooks/${plant('webhook')}/trigger?V=2`).expect(404);
    await send('identity', 'GET', `/v2.0/tokens/${plant('opaque token')}/endpoints`).expect(404);
    const part = plant('JSON Web Token');
    await send('identity', 'GET', `/v2.0/other/eyJ${part}.${part}.${part}`).expect(404);
    await world.http.get(`/nothing/tokens/${plant('token at an unknown path')}`).expect(404);
    const user = `/v3/users/${ids.admin}/credentials/OS-EC2`;
    await send('identity', 'GET', `${user}/${plant('EC2 credential')}`).expect(404);
    await expectNoLeaks();
  });

  it('are not recorded if they are in a query', async () => {
    for (const name of [
      'api_key',
      'apikey',
      'key',
      'sig',
      'temp_url_sig',
      'code',
      'pwd',
      'a=1;password',
      'p%61ssword',
      'X-Amz-Signature',
      'AWSAccessKeyId',
    ])
      for (const [service, path] of [
        ['placement', '/resource_providers'],
        ['identity', '/v3/users'],
        ['compute', '/v2.1/servers'],
        ['network', '/v2.0/networks'],
      ] as const)
        await send(service, 'GET', `${path}?name=n&${name}=${plant(`${name} of ${service}`)}&z=1`);
    const url = encodeURIComponent(`https://u:${plant('URL in a query')}@host/`);
    await send('placement', 'GET', `/resource_providers?name=${url}`);
    await expectNoLeaks();
  });

  it('are not recorded if they are in a header', async () => {
    const subject = { 'x-subject-token': plant('subject token') };
    await world
      .ask('identity', 'GET', '/identity/v3/auth/tokens', { token, headers: subject })
      .expect(404);
    await world.ask('compute', 'GET', '/compute/v2.1/servers', { token: plant('token') });
    await expectNoLeaks();
  });

  it('are not recorded if they are in requests to Identity', async () => {
    const credentials = { access: plant('EC2 access id'), signature: 's', host: 'h', verb: 'GET' };
    await send('identity', 'POST', '/v3/ec2tokens', { credentials });
    const byCredential = {
      methods: ['application_credential'],
      application_credential: { id: 'x', secret: plant('application credential') },
    };
    await send('identity', 'POST', '/v3/auth/tokens', authBody({ identity: byCredential }));
    const ldap = { url: `ldap://cn=admin,dc=x:${plant('LDAP URL')}@host:389` };
    await send('identity', 'PUT', '/v3/domains/default/config', { config: { ldap } });
    const endpoint = {
      service_id: 'unknown',
      interface: 'public',
      url: `http://user:${plant('endpoint URL')}@host:80/?api_key=${plant('query of a URL')}`,
    };
    await send('identity', 'POST', '/v3/endpoints', { endpoint }).expect(400);
    await expectNoLeaks();
  });

  it('are not recorded if they are in metadata, properties and profiles', async () => {
    const metadata = Object.fromEntries(
      ['api_key', 'ssh_key', 'aws_access_key_id', 'pwd', 'cookie'].map((name) => [
        name,
        plant(`metadata ${name}`),
      ]),
    );
    const site = `see https://user:${plant('URL in metadata')}@host/path for more`;
    const server = { name: 's', flavorRef: '1', imageRef: '', networks: 'none' };
    await send('compute', 'POST', '/v2.1/servers', {
      server: { ...server, metadata: { ...metadata, site } },
    });
    const keypair = {
      name: 'k',
      public_key: `-----BEGIN RSA PRIVATE KEY-----\n${plant('private key')}\n-----END`,
    };
    await send('compute', 'POST', '/v2.1/os-keypairs', { keypair }).expect(400);
    const volume = { size: 1, metadata: { encryption_key: plant('volume metadata') } };
    await send('volume', 'POST', '/v3/volumes', { volume }).expect(202);
    await send('image', 'POST', '/v2/images', { name: 'i', auth_key: plant('image property') });
    const port = {
      network_id: 'unknown',
      'binding:profile': { tls_key: plant('profile of a port') },
    };
    await send('network', 'POST', '/v2.0/ports', { port });
    await expectNoLeaks();
  });

  it('are not recorded if they belong to transfers and connections of volumes', async () => {
    const created = await send('volume', 'POST', '/v3/volumes', { volume: { size: 1 } });
    const { id } = (created.body as { volume: { id: string } }).volume;
    const connector = { host: 'h', key: plant('connector') };
    await send('volume', 'POST', `/v3/volumes/${id}/action`, {
      'os-initialize_connection': { connector },
    });
    const transferred = await send('volume', 'POST', '/v3/volume-transfers', {
      transfer: { volume_id: id },
    });
    const { transfer } = transferred.body as { transfer?: { id: string; auth_key: string } };
    if (transfer) secrets.set('auth key of a transfer', transfer.auth_key);
    const accept = `/v3/volume-transfers/${transfer?.id}/accept`;
    for (const auth_key of [plant('wrong auth key'), transfer?.auth_key])
      await send('volume', 'POST', accept, { accept: { auth_key } });
    await expectNoLeaks();
  });
});
