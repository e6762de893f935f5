// Tokens for requests that were signed with keys for EC2. Upstream: api/ec2tokens.py and api/_shared/EC2_S3_Resource.py.
import { timingSafeEqual } from 'node:crypto';
import { parseTime, SECOND, type Micros } from '../../../../kernel/clock.ts';
import { badRequest, notFound } from '../../../../kernel/fault.ts';
import { findApplicationCredential } from '../../store/application-credential/application-credentials.ts';
import { findCredential } from '../../store/credential/credentials.ts';
import { findProject } from '../../store/resource/projects.ts';
import { findUser } from '../../store/identity/users.ts';
import { accessHash, ec2Keys } from './credentials.ts';
import { signatureOf, type SignedRequest } from './ec2-signatures.ts';
import type { ApplicationCredential, Project, User } from '../records.ts';
import { found, unauthenticated } from '../refusals.ts';
import { issue } from '../auth/sign-in.ts';
import { type Scope } from '../assignment/effective-roles.ts';
import type { Token } from '../auth/tokens.ts';
import { validTrust } from '../trust/trusts.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/** The method of tokens that were got so; Keystone itself takes none of them for its own API. */
export const ec2Method = 'ec2credential';

/** How long after it was signed a request can be shown. Upstream: [credential] auth_ttl. */
const window: Micros = 15 * 60 * SECOND;

type Fields = Readonly<Record<string, unknown>>;

/** Issues a token for a signed request, as the body describes it. @throws 400, 401, 403, 404 */
export async function signInByEc2(db: Db, body: Fields, now: Micros): Promise<Token> {
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
  await checkEnabled(db, user, project);
  checkTime(request, now);
  const scope = { kind: 'project', id: project.id } as const;
  if (keys.trustId !== null) return byTrust(db, user, { ...scope, trustId: keys.trustId }, now);
  const bound = await boundTo(db, keys.applicationCredentialId, project.id, now);
  return issue(db, { user, methods: [ec2Method], ...(bound ? { applicationCredential: bound } : {}) }, scope, now);
}

const objectOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Also right is a signature that was made for the host without its port. @throws 401 */
function checkSignature(request: Fields, secret: string): void {
  const headers = Object.entries(objectOf(request['headers'])).filter(([, value]) => typeof value === 'string');
  const signed: SignedRequest = {
    verb: textOf(request['verb']),
    host: textOf(request['host']),
    path: textOf(request['path']),
    params: objectOf(request['params']),
    headers: Object.fromEntries(headers) as Record<string, string>,
    bodyHash: textOf(request['body_hash']),
  };
  const given = textOf(request['signature']);
  const bare = signed.host.replace(/:\d*$/, '').toLowerCase();
  const right = [signed.host, bare].some((host) => same(signatureOf({ ...signed, host }, secret), given));
  if (!given || !right) throw unauthenticated();
}

function same(signature: string | undefined, given: string): boolean {
  const [one, other] = [Buffer.from(signature ?? ''), Buffer.from(given)];
  return signature !== undefined && one.length === other.length && timingSafeEqual(one, other);
}

/** @throws 401 for a request that was signed too long ago; one that does not say when is taken */
function checkTime(request: Fields, now: Micros): void {
  const params = objectOf(request['params']);
  const stamp = params['Timestamp'] || objectOf(request['headers'])['X-Amz-Date'] || params['X-Amz-Date'];
  if (!stamp) return;
  const time = parseTime(textOf(stamp).replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)/, '$1-$2-$3T$4:$5:$6'));
  if (time === undefined || now > time + window) throw unauthenticated();
}

async function checkEnabled(db: Db, user: User, project: Project): Promise<void> {
  const domains = [user.domainId, project.domainId ?? project.id];
  for (const id of domains) if (!(await findProject(db, id))?.enabled) throw unauthenticated();
  if (!user.enabled || !project.enabled) throw unauthenticated();
}

/** Keys that were made with a token for an impersonating trust name the trustor, but the token is the trustee's to have. */
async function byTrust(db: Db, user: User, scope: Scope & { trustId: string }, now: Micros): Promise<Token> {
  const trust = await validTrust(db, scope.trustId, now);
  if (!trust.roleIds.length) throw unauthenticated();
  const trustee = trust.impersonation ? await findUser(db, trust.trusteeUserId) : user;
  return issue(db, { user: found(trustee, 'user', trust.trusteeUserId), methods: [ec2Method] }, scope, now);
}

async function boundTo(db: Db, id: string | null, projectId: string, now: Micros): Promise<ApplicationCredential | undefined> {
  if (id === null) return undefined;
  const credential = found(await findApplicationCredential(db, id), 'applicationCredential', id);
  const over = credential.expiresAt !== null && now >= credential.expiresAt;
  if (over || credential.projectId !== projectId) throw unauthenticated();
  return credential;
}
