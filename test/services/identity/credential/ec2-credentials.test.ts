// EC2 credentials, and tokens for requests that are signed with them.
import { expect } from 'chai';
import {
  signatureOf,
  type SignedRequest,
} from '../../../../src/services/identity/domain/credential/ec2-signatures.ts';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, ids, makeUser, message, onProject, signIn, signInReply } from '../support.ts';

interface Keys {
  readonly access: string;
  readonly secret: string;
  readonly trust_id: string | null;
}

onEachDatabase('identity: EC2 credentials', {}, (world) => {
  const mine = `/v3/users/${ids.demo}/credentials/OS-EC2`;
  const demo = () => signIn(world, { name: 'demo' });
  const create = (body: object, token: string) => ask(world, 'POST', mine, { token, body });
  const make = async (token?: string): Promise<Keys> =>
    (await create({ tenant_id: ids.demoProject }, token ?? (await demo()))).body.credential as Keys;

  describe('/v3/users/{user_id}/credentials/OS-EC2', () => {
    it('creates, lists, shows and deletes an EC2 credential', async () => {
      const token = await demo();
      const { credential } = (
        await create({ tenant_id: ids.demoProject }, token).then((reply) => reply)
      ).body;
      expect(credential).to.include({
        user_id: ids.demo,
        tenant_id: ids.demoProject,
        trust_id: null,
      });
      expect(credential.links.self).to.match(
        new RegExp(`/v3/users/${ids.demo}/credentials/OS-EC2/${credential.access}$`),
      );
      expect((await ask(world, 'GET', mine, { token })).body.credentials).to.deep.equal([
        credential,
      ]);
      const one = `${mine}/${credential.access}`;
      expect((await ask(world, 'GET', one, { token })).body.credential).to.deep.equal(credential);
      const [stored] = (await ask(world, 'GET', '/v3/credentials?type=ec2', { token })).body
        .credentials;
      expect(JSON.parse(stored.blob)).to.deep.equal({
        access: credential.access,
        secret: credential.secret,
        trust_id: null,
      });
      expect((await ask(world, 'DELETE', one, { token })).status).to.equal(204);
      const gone = await ask(world, 'GET', one, { token });
      expect(gone.status).to.equal(404);
      expect(message(gone)).to.equal(`Could not find credential: ${stored.id}.`);
    });

    it('returns 404 for an unknown project or user', async () => {
      const token = await signIn(world);
      expect(message(await create({}, token))).to.equal('Could not find project: None.');
      expect(message(await create({ tenant_id: 'x' }, token))).to.equal(
        'Could not find project: x.',
      );
      const other = await ask(world, 'POST', '/v3/users/x/credentials/OS-EC2', {
        body: { tenant_id: ids.demoProject },
      });
      expect(message(other)).to.equal('Could not find user: x.');
      expect((await ask(world, 'GET', '/v3/users/x/credentials/OS-EC2')).status).to.equal(404);
    });

    it('returns 403 to anyone but administrators and owners with the role member', async () => {
      const { access } = await make();
      await makeUser(world, 'eva', 'reader');
      const eva = await signIn(world, { name: 'eva', password: 'pw', scope: onProject('demo') });
      expect(message(await ask(world, 'GET', mine, { token: eva }))).to.contain(
        'identity:ec2_list_credentials',
      );
      expect((await ask(world, 'GET', `${mine}/${access}`, { token: eva })).status).to.equal(403);
      expect((await create({ tenant_id: ids.demoProject }, eva)).status).to.equal(403);
      expect((await ask(world, 'GET', `${mine}/${access}`)).status).to.equal(200);
      expect((await ask(world, 'DELETE', `${mine}/${access}`)).status).to.equal(204);
    });

    it('restricts delegated tokens to credentials for their own project', async () => {
      const token = await demo();
      const keys = await make(token);
      const made = await ask(world, 'POST', `/v3/users/${ids.demo}/application_credentials`, {
        token,
        body: { application_credential: { name: 'ci' } },
      });
      const { id, secret } = made.body.application_credential;
      const identity = {
        methods: ['application_credential'],
        application_credential: { id, secret },
      };
      const bound = await signIn(world, { scope: null, identity });
      expect(message(await create({ tenant_id: ids.demoProject }, bound))).to.contain(
        'Using method',
      );
      expect((await ask(world, 'GET', `${mine}/${keys.access}`, { token: bound })).status).to.equal(
        200,
      );
      await create({ tenant_id: ids.adminProject }, await signIn(world));
      const all = (await ask(world, 'GET', mine)).body.credentials as Keys[];
      const elsewhere = all.find((one) => one.access !== keys.access)!;
      expect((await ask(world, 'GET', mine, { token: bound })).body.credentials).to.have.length(1);
      expect(
        message(await ask(world, 'GET', `${mine}/${elsewhere.access}`, { token: bound })),
      ).to.contain(
        'EC2 credential project does not match the project scope of the delegated token',
      );
    });
  });

  describe('POST /v3/ec2tokens', () => {
    const signed = ({ access, secret }: Keys, more: Partial<SignedRequest> = {}): object => {
      const request = {
        verb: 'GET',
        host: 'ec2:8773',
        path: '/',
        params: { SignatureVersion: '2' },
        headers: {},
        ...more,
      };
      const signature = signatureOf({ ...request, bodyHash: 'b', ...more }, secret);
      return { ...request, host: 'ec2:8773', body_hash: 'b', access, signature };
    };
    const post = (body: unknown) => ask(world, 'POST', '/v3/ec2tokens', { body });

    it('issues a token for the user and the project, which Keystone itself rejects', async () => {
      const keys = await make();
      for (const noun of ['credentials', 'credential', 'ec2Credentials']) {
        const reply = await post({ [noun]: signed(keys) });
        expect(reply.status, noun).to.equal(200);
        expect(reply.body.token).to.deep.include({ methods: ['ec2credential'] });
        expect(reply.body.token.user.id).to.equal(ids.demo);
        expect(reply.body.token.project.id).to.equal(ids.demoProject);
        const token = reply.headers['x-subject-token'] as string;
        expect((await ask(world, 'GET', '/v3/auth/projects', { token })).status).to.equal(403);
        expect(
          (await world.ask('compute', 'GET', '/compute/v2.1/servers', { token })).status,
        ).to.equal(200);
      }
    });

    it('issues a token with the roles of the application credential that created the keys', async () => {
      const body = {
        application_credential: { name: 'ci', unrestricted: true, roles: [{ name: 'member' }] },
      };
      const path = `/v3/users/${ids.admin}/application_credentials`;
      const { id, secret } = (await ask(world, 'POST', path, { body })).body.application_credential;
      const identity = {
        methods: ['application_credential'],
        application_credential: { id, secret },
      };
      const token = await signIn(world, { scope: null, identity });
      const created = await ask(world, 'POST', `/v3/users/${ids.admin}/credentials/OS-EC2`, {
        token,
        body: { tenant_id: ids.adminProject },
      });
      expect(created.status, created.text).to.equal(201);
      const reply = await post({ credentials: signed(created.body.credential as Keys) });
      const roles = reply.body.token.roles as { name: string }[];
      expect(roles.map(({ name }) => name)).to.deep.equal(['member', 'reader']);
      await ask(world, 'DELETE', `${path}/${id}`);
      expect(
        (await post({ credentials: signed(created.body.credential as Keys) })).status,
      ).to.equal(404);
    });

    it('accepts a signature without the port', async () => {
      expect((await post({ credentials: signed(await make(), { host: 'ec2' }) })).status).to.equal(
        200,
      );
    });

    it('returns 401 for a missing or wrong signature', async () => {
      const keys = await make();
      expect(message(await post({}))).to.equal('request must include a request body');
      expect((await post({ credentials: {} })).status).to.equal(401);
      expect(message(await post({ credentials: { access: 'x' } }))).to.equal(
        'EC2 access key not found.',
      );
      expect((await post({ credentials: { access: keys.access } })).status).to.equal(401);
      expect((await post({ credentials: { ...signed(keys), signature: 'x' } })).status).to.equal(
        401,
      );
    });

    it('returns 401 for a request that was signed more than 15 minutes ago', async () => {
      const keys = await make();
      const at = (Timestamp: string) =>
        post({ credentials: signed(keys, { params: { SignatureVersion: '2', Timestamp } }) });
      expect((await at('2026-11-20T11:45:00Z')).status).to.equal(200);
      expect((await at('2026-11-20T11:44:59Z')).status).to.equal(401);
      expect((await at('soon')).status).to.equal(401);
    });

    it('returns 403 to anyone but services and administrators', async () => {
      const body = { credentials: signed(await make()) };
      const reply = await ask(world, 'POST', '/v3/ec2tokens', { token: await demo(), body });
      expect(message(reply)).to.contain('identity:ec2tokens_validate');
      expect((await ask(world, 'POST', '/v3/ec2tokens', { token: null, body })).status).to.equal(
        401,
      );
    });

    it('issues a token for the trust that the credential was created with', async () => {
      const trustee = await makeUser(world, 'tee');
      const trust = {
        trustor_user_id: ids.demo,
        trustee_user_id: trustee,
        impersonation: true,
        project_id: ids.demoProject,
        roles: [{ name: 'member' }],
      };
      const made = await ask(world, 'POST', '/v3/OS-TRUST/trusts', {
        token: await demo(),
        body: { trust },
      });
      const { id } = made.body.trust;
      const reply = await signInReply(world, {
        name: 'tee',
        password: 'pw',
        scope: { 'OS-TRUST:trust': { id } },
      }).expect(201);
      const keys = await make(reply.headers['x-subject-token'] as string);
      expect(keys.trust_id).to.equal(id);
      const { token } = (await post({ credentials: signed(keys) })).body;
      expect(token['OS-TRUST:trust'].id).to.equal(id);
      expect(token.user.id).to.equal(ids.demo);
    });
  });
});

describe('signatures of AWS requests', () => {
  // The signatures that keystoneclient's Ec2Signer returns for the same requests.
  const params = {
    Action: 'RunInstances',
    Timestamp: '2026-11-20T12:00:00Z',
    Name: "a b*(c)'!~é",
    Count: 2,
  };
  const base = {
    verb: 'GET',
    host: 'ec2.test:8773',
    path: '/services/Cloud',
    headers: {},
    bodyHash: 'b'.repeat(64),
  };
  const scheme = 'AWS4-HMAC-SHA256';
  const scope = 'AKIA/20261120/us-east-1/ec2/aws4_request';
  const headers = {
    Authorization: `${scheme} Credential=${scope}, SignedHeaders=host;x-amz-date, Signature=x`,
    'X-Amz-Date': '20261120T120000Z',
    Host: 'ec2.test:8773',
  };
  const cases: [string, SignedRequest, string][] = [
    [
      'version 0',
      { ...base, params: { ...params, SignatureVersion: '0' } },
      '3UFCVX54ZJzBpdXWOJQQEvY9wjY=',
    ],
    [
      'version 1',
      { ...base, params: { ...params, SignatureVersion: '1' } },
      '9tMtgSx8FRebAy9BEm/YD4qxJ1U=',
    ],
    [
      'version 2',
      { ...base, params: { ...params, SignatureVersion: '2' } },
      'rTTIKfC4PxccRtqnoWQnh4hluDvJTnfky8MXdKeFXe0=',
    ],
    [
      'version 4, of an old Boto',
      { ...base, params, headers: { ...headers, 'User-Agent': 'Boto/2.9.2' } },
      'd1918d3f21655d36cee2d04cf744097fed78fd2c61338b25e384f76cdc69b7f3',
    ],
    [
      'version 4, of a POST',
      { ...base, verb: 'POST', params, headers },
      '30897bfca07fbfd7795626eba53b7708cf67d61c3bcfde15351d6058755e4999',
    ],
    [
      'version 4, in the query',
      {
        ...base,
        headers: { Host: 'h' },
        params: {
          'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
          'X-Amz-Credential': scope,
          'X-Amz-SignedHeaders': 'host',
          'X-Amz-Date': '20261120T120000Z',
        },
      },
      'a3f94eb9200de53504ec9ada2c395f6238be70f588bf434a8d1db0fd3f248278',
    ],
  ];
  for (const [name, request, signature] of cases) {
    it(`match those of keystoneclient for ${name}`, () => {
      expect(signatureOf(request, 's3cr3t')).to.equal(signature);
    });
  }

  it('are undefined without a version, or with another date', () => {
    expect(signatureOf({ ...base, params }, 's3cr3t')).to.equal(undefined);
    expect(
      signatureOf(
        { ...base, params, headers: { ...headers, 'X-Amz-Date': '20261121T120000Z' } },
        's',
      ),
    ).to.equal(undefined);
  });
});
