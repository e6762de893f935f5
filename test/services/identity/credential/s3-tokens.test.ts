// Tokens for requests to S3 that are signed with EC2 credentials.
import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, ids, message, signIn } from '../support.ts';

interface Keys {
  readonly access: string;
  readonly secret: string;
}

onEachDatabase('identity: tokens for S3', {}, (world) => {
  const make = async (): Promise<Keys> => {
    const reply = await ask(world, 'POST', `/v3/users/${ids.demo}/credentials/OS-EC2`, {
      token: await signIn(world, { name: 'demo' }),
      body: { tenant_id: ids.demoProject },
    });
    return (reply.body as { credential: Keys }).credential;
  };
  const post = (credentials: object, token?: string) =>
    ask(world, 'POST', '/v3/s3tokens', { body: { credentials }, ...(token ? { token } : {}) });
  const hmac = (algorithm: string, key: string | Buffer, text: string): Buffer =>
    createHmac(algorithm, key).update(text).digest();

  const version2 = ({ access, secret }: Keys): object => {
    const text = 'GET\n\n\nFri, 20 Nov 2026 12:00:00 GMT\n/bucket/~object?>';
    return {
      access,
      token: Buffer.from(text).toString('base64url'),
      signature: hmac('sha1', secret, text).toString('base64'),
    };
  };
  const version4 = ({ access, secret }: Keys, service = 's3', end = 'aws4_request'): object => {
    const scope = ['20261120', 'RegionOne', service, end];
    const text = `AWS4-HMAC-SHA256\n20261120T120000Z\n${scope.join('/')}\n${'0'.repeat(64)}`;
    let key: string | Buffer = `AWS4${secret}`;
    for (const part of scope) key = hmac('sha256', key, part);
    return {
      access,
      token: Buffer.from(text).toString('base64'),
      signature: hmac('sha256', key, text).toString('hex'),
    };
  };

  it('return what a token of the user contains, for both versions of signatures', async () => {
    const keys = await make();
    for (const credentials of [version2(keys), version4(keys)]) {
      const reply = await post(credentials);
      expect(reply.status).to.equal(200);
      expect(reply.headers).not.to.have.property('x-subject-token');
      const { token } = reply.body as { token: Record<string, unknown> };
      expect(token['methods']).to.deep.equal(['ec2credential']);
      expect(token['user']).to.include({ id: ids.demo });
      expect(token['project']).to.include({ id: ids.demoProject });
    }
  });

  it('return 401 for a wrong signature, another service, or a missing part', async () => {
    const keys = await make();
    const refused = [
      version2({ ...keys, secret: 'x' }),
      version4({ ...keys, secret: 'x' }),
      version4(keys, 'ec2'),
      version4(keys, 's3', 'other'),
      { access: keys.access },
      { ...version2(keys), signature: null },
      { ...version2(keys), token: 5 },
      {},
    ];
    for (const credentials of refused) expect((await post(credentials)).status).to.equal(401);
  });

  it('return 404 for an unknown access key, and 400 for no body', async () => {
    const reply = await post(version2({ access: 'x', secret: 'x' }));
    expect([reply.status, message(reply)]).to.deep.equal([404, 'EC2 access key not found.']);
    expect((await ask(world, 'POST', '/v3/s3tokens', { body: {} })).status).to.equal(400);
  });

  it('are for services and administrators only', async () => {
    const keys = await make();
    const token = await signIn(world, { name: 'demo' });
    expect((await post(version2(keys), token)).status).to.equal(403);
    const anonymous = await ask(world, 'POST', '/v3/s3tokens', {
      token: null,
      body: { credentials: version2(keys) },
    });
    expect(anonymous.status).to.equal(401);
  });
});
