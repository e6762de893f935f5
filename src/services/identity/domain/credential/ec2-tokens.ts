// Issues tokens for requests that are signed with EC2 credentials. Upstream: api/ec2tokens.py,
// api/s3tokens.py and api/_shared/EC2_S3_Resource.py.
import { timingSafeEqual } from 'node:crypto';
import { parseTime, SECOND, type Micros } from '../../../../kernel/clock.ts';
import { badRequest, notFound } from '../../../../kernel/errors.ts';
import * as credentialStore from '../../store/application-credential/application-credentials.ts';
import { findCredential } from '../../store/credential/credentials.ts';
import { findUser } from '../../store/identity/users.ts';
import { findProject } from '../../store/resource/projects.ts';
import type { Fields } from '../attributes.ts';
import { ec2Method } from '../auth/methods.ts';
import { issueToken } from '../auth/sign-in.ts';
import type { ApplicationCredential, Project, Scope, Token, User } from '../../model.ts';
import { isEnabledNow } from '../identity/inactivity.ts';
import { found, unauthenticated } from '../refusals.ts';
import { requireAccessToken } from '../oauth/tokens.ts';
import { validTrust } from '../trust/trusts.ts';
import { accessHash } from './credentials.ts';
import { ec2Keys } from './ec2-credentials.ts';
import { signatureOf, type SignedRequest } from './ec2-signatures.ts';
import { s3SignatureOf } from './s3-signatures.ts';
import type { Context } from '../../../../kernel/model.ts';

/** How long a signature is accepted. Upstream: [credential] auth_ttl. */
const signatureLifetime: Micros = 15 * 60 * SECOND;

/** Checks the signature in a body with the secret. @throws 401 */
type SignatureCheck = (request: Fields, secret: string) => void;

/**
 * Issues a token for the signed request that the body describes.
 * @throws 400, 401, 403, 404
 */
async function signInBySignature(
  context: Context,
  body: Fields,
  checkSignature: SignatureCheck,
): Promise<Token> {
  const { db, now } = context;
  if (!Object.keys(body).length) throw badRequest('request must include a request body');
  const request = objectOf(body['credentials'] || body['credential'] || body['ec2Credentials']);
  if (!('access' in request)) throw unauthenticated();
  const access = typeof request['access'] === 'string' ? request['access'] : '';
  const credential = await findCredential(db, accessHash(access));
  if (credential?.type !== 'ec2') throw notFound('EC2 access key not found.');
  const keys = ec2Keys(credential);
  checkSignature(request, keys.secret ?? '');
  const projectId = credential.projectId ?? 'None';
  const project = found(await findProject(db, projectId), 'project', projectId);
  const user = found(await findUser(db, credential.userId), 'user', credential.userId);
  await checkEnabled(context, user, project);
  checkTime(request, now);
  const scope = { kind: 'project', id: project.id } as const;
  if (keys.trustId !== null)
    return issueForTrust(context, user, { ...scope, trustId: keys.trustId });
  const applicationCredential = await applicationCredentialOf(
    context,
    keys.applicationCredentialId,
    project.id,
  );
  if (!applicationCredential && keys.accessTokenId !== null)
    return issueForAccessToken(context, user, scope, keys.accessTokenId);
  const source = applicationCredential ? { applicationCredential } : {};
  return issueToken(context, { user, methods: [ec2Method], ...source }, scope);
}

const objectOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Checks the signature. The client may also have signed the host without its port. @throws 401 */
function checkEc2Signature(request: Fields, secret: string): void {
  const headers = Object.entries(objectOf(request['headers'])).filter(
    ([, value]) => typeof value === 'string',
  );
  const signed: SignedRequest = {
    verb: textOf(request['verb']),
    host: textOf(request['host']),
    path: textOf(request['path']),
    params: objectOf(request['params']),
    headers: Object.fromEntries(headers) as Record<string, string>,
    bodyHash: textOf(request['body_hash']),
  };
  const given = textOf(request['signature']);
  const withoutPort = signed.host.replace(/:\d*$/, '').toLowerCase();
  const matches = [signed.host, withoutPort].some((host) =>
    isEqual(signatureOf({ ...signed, host }, secret), given),
  );
  if (!given || !matches) throw unauthenticated();
}

/** Checks the signature of a request to S3, of which the body has the text that was signed. */
function checkS3Signature(request: Fields, secret: string): void {
  const signature = s3SignatureOf(Buffer.from(textOf(request['token']), 'base64'), secret);
  if (!isEqual(signature, textOf(request['signature']))) throw unauthenticated();
}

export const signInByEc2 = (context: Context, body: Fields): Promise<Token> =>
  signInBySignature(context, body, checkEc2Signature);

export const signInByS3 = (context: Context, body: Fields): Promise<Token> =>
  signInBySignature(context, body, checkS3Signature);

function isEqual(signature: string | undefined, given: string): boolean {
  const [one, other] = [Buffer.from(signature ?? ''), Buffer.from(given)];
  return signature !== undefined && one.length === other.length && timingSafeEqual(one, other);
}

/** @throws 401 for a request that was signed too long ago; a request without a time is accepted */
function checkTime(request: Fields, now: Micros): void {
  const params = objectOf(request['params']);
  const stamp =
    params['Timestamp'] || objectOf(request['headers'])['X-Amz-Date'] || params['X-Amz-Date'];
  if (!stamp) return;
  const time = parseTime(
    textOf(stamp).replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)/, '$1-$2-$3T$4:$5:$6'),
  );
  if (time === undefined || now > time + signatureLifetime) throw unauthenticated();
}

async function checkEnabled(context: Context, user: User, project: Project): Promise<void> {
  const { db } = context;
  const domains = [user.domainId, project.domainId ?? project.id];
  for (const id of domains) if (!(await findProject(db, id))?.enabled) throw unauthenticated();
  if (!project.enabled || !(await isEnabledNow(context, user))) throw unauthenticated();
}

/**
 * Issues a token for a trust. If a token for an impersonating trust created the credential, the
 * credential names the trustor, but the trustee signs in.
 */
async function issueForTrust(
  context: Context,
  user: User,
  scope: Scope & { trustId: string },
): Promise<Token> {
  const trust = await validTrust(context, scope.trustId);
  if (!trust.roleIds.length) throw unauthenticated();
  const trustee = trust.impersonation ? await findUser(context.db, trust.trusteeUserId) : user;
  return issueToken(
    context,
    { user: found(trustee, 'user', trust.trusteeUserId), methods: [ec2Method] },
    scope,
  );
}

/** Issues a token for the OAuth access token that the EC2 credential was created with. */
async function issueForAccessToken(
  context: Context,
  user: User,
  scope: Scope & { readonly id: string },
  id: string,
): Promise<Token> {
  const accessToken = await requireAccessToken(context, id);
  if (accessToken.projectId !== scope.id) throw unauthenticated();
  return issueToken(context, { user, methods: [ec2Method], accessToken }, scope);
}

/**
 * The application credential that the EC2 credential was created with, which must still be valid.
 * @throws 401, 404
 */
async function applicationCredentialOf(
  { db, now }: Context,
  id: string | null,
  projectId: string,
): Promise<ApplicationCredential | undefined> {
  if (id === null) return undefined;
  const credential = found(
    await credentialStore.findApplicationCredential(db, id),
    'application_credential',
    id,
  );
  const isExpired = credential.expiresAt !== null && now >= credential.expiresAt;
  if (isExpired || credential.projectId !== projectId) throw unauthenticated();
  return credential;
}
