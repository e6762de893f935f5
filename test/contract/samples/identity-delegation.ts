// Sample requests for Identity's trusts and EC2 credentials.
import { signatureOf } from '../../../src/services/identity/domain/credential/ec2-signatures.ts';
import { s3SignatureOf } from '../../../src/services/identity/domain/credential/s3-signatures.ts';
import { ids } from '../../services/identity/support.ts';
import type { Raw } from '../../support/raw.ts';
import type { Sample, Samples } from './model.ts';

/** The functions that create resources for the samples of Identity. */
export interface Tools {
  readonly ask: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Sample['headers'],
  ) => Promise<Raw>;
  /** Creates a resource, and returns its id. */
  readonly make: (noun: string, fields: object, at?: string) => Promise<string>;
  readonly must: (method: string, path: string) => Promise<void>;
  /** A name that no other resource has. */
  readonly fresh: (noun: string) => string;
  readonly project: () => Promise<string>;
  readonly endpoint: () => Promise<string>;
  readonly service: () => Promise<string>;
  readonly domain: () => Promise<string>;
}

/** The samples, by operationId. */
export function delegationSamples({ ask, make }: Tools): Samples {
  const trustFields = (): object => ({
    trustor_user_id: ids.admin,
    trustee_user_id: ids.demo,
    impersonation: true,
    project_id: ids.adminProject,
    roles: [{ name: 'member' }],
  });
  const trust = (): Promise<string> => make('trust', trustFields(), '/OS-TRUST/trusts');
  const ec2 = async (): Promise<{ access: string; secret: string }> => {
    const reply = await ask('POST', `/users/${ids.admin}/credentials/OS-EC2`, {
      tenant_id: ids.adminProject,
    });
    return (reply.body as { credential: { access: string; secret: string } }).credential;
  };
  const ec2One = async () => ({
    params: { user_id: ids.admin, credential_id: (await ec2()).access },
  });
  const ec2Signed = async () => {
    const { access, secret } = await ec2();
    const request = {
      verb: 'GET',
      host: 'ec2:8773',
      path: '/',
      params: { SignatureVersion: '2', AWSAccessKeyId: access },
    };
    const signature = signatureOf({ ...request, headers: {}, bodyHash: '' }, secret);
    return { body: { credentials: { ...request, access, signature } } };
  };
  const oneTrust = async () => ({ params: { trust_id: await trust() } });
  const trustRole = async () => ({
    params: { trust_id: await trust(), role_id: ids.role('member') },
  });
  const trustBody = (): Sample => ({
    body: {
      trust: {
        ...trustFields(),
        expires_at: '2030-01-01T00:00:00Z',
        allow_redelegation: true,
        redelegation_count: 2,
      },
    },
  });

  const ofUser = { params: { user_id: ids.admin } };
  return {
    'ec2_credentials:list': () => ofUser,
    'ec2_credentials:check_list': () => ofUser,
    'ec2_credentials:create': () => ({ ...ofUser, body: { tenant_id: ids.adminProject } }),
    'ec2_credentials:show': ec2One,
    'ec2_credentials:check': ec2One,
    'ec2_credentials:delete': ec2One,
    'ec2_tokens:create': ec2Signed,
    's3_tokens:create': async () => {
      const { access, secret } = await ec2();
      const text = Buffer.from('GET\n\n\nnow\n/bucket');
      const signature = s3SignatureOf(text, secret);
      return { body: { credentials: { access, signature, token: text.toString('base64') } } };
    },
    'trusts:list': () => ({ query: `trustor_user_id=${ids.admin}` }),
    'trusts:check_list': () => ({}),
    'trusts:create': trustBody,
    'trusts:show': oneTrust,
    'trusts:check': oneTrust,
    'trusts:delete': oneTrust,
    'trust_roles:list': oneTrust,
    'trust_roles:check_list': oneTrust,
    'trust_roles:show': trustRole,
    'trust_roles:check': trustRole,
  };
}
