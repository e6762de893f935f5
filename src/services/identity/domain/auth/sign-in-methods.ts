// The authentication methods: password, token, one-time password, OAuth and application credential.
// Upstream: keystone/auth/plugins.
import type { Micros } from '../../../../kernel/clock.ts';
import { nameKey } from '../../store/names.ts';
import {
  findApplicationCredential,
  listApplicationCredentials,
} from '../../store/application-credential/application-credentials.ts';
import { checkPassword } from '../identity/lockout.ts';
import { passwordMatches } from '../identity/passwords.ts';
import type {
  AccessToken,
  ApplicationCredential,
  Federation,
  Scope,
  Token,
  User,
} from '../../model.ts';
import { expecting, found, unauthenticated } from '../refusals.ts';
import { assertedAttributes } from '../federation/attributes.ts';
import { signInByAssertion, verifyFederation } from '../federation/sign-in.ts';
import { enabledUser, type UserReference } from './accounts.ts';
import { federatedMethods } from './methods.ts';
import { signedAccessToken } from '../oauth/tokens.ts';
import type { SignedRequest } from '../oauth/signatures.ts';
import { requireToken } from './tokens.ts';
import { hasPasscode } from './totp.ts';
import type { Context } from '../../../../kernel/model.ts';

/** The user who has authenticated, and by which methods. */
export interface Authenticated {
  readonly user: User;
  readonly methods: readonly string[];
  /** The token that the method `token` authenticated with. */
  readonly parent?: Token;
  readonly applicationCredential?: ApplicationCredential;
  readonly accessToken?: AccessToken;
  readonly federation?: Federation;
  /** When the token expires at the latest, if the method determines it. */
  readonly expiresAt?: Micros;
  /** The scope, if the method determines it. */
  readonly scope?: Scope;
}

interface UserWithSecret extends UserReference {
  readonly password?: string;
  readonly passcode?: string;
}

/** The data of a method. The contract does not check those of an application credential. */
interface MethodData {
  readonly id?: unknown;
  readonly name?: unknown;
  readonly secret?: unknown;
  readonly user?: UserWithSecret;
  readonly identity_provider?: unknown;
  readonly protocol?: unknown;
}

/** Authenticates with one method. @throws 400, 401, 404 */
export async function authenticateBy(
  context: Context,
  method: string,
  data: MethodData,
  request: SignedRequest,
): Promise<Authenticated> {
  if (typeof data !== 'object' || data === null) throw expecting(method, 'identity');
  if (method === 'password') return byPassword(context, data);
  if (method === 'oauth1') return byOAuth(context, request);
  if (method === 'totp') return byTotp(context, data);
  if (method === 'token') return byToken(context, textOf(data.id));
  if (federatedMethods.includes(method)) return byFederation(context, method, data, request);
  return byApplicationCredential(context, data);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

async function byPassword(
  context: Context,
  { user: reference }: MethodData,
): Promise<Authenticated> {
  if (!reference) throw expecting('user', 'password');
  const user = await enabledUser(context, reference);
  await checkPassword(context, user, reference.password ?? '');
  return { user, methods: ['password'] };
}

async function byTotp(context: Context, { user: reference }: MethodData): Promise<Authenticated> {
  if (!reference) throw expecting('user', 'totp');
  const user = await enabledUser(context, reference);
  if (!(await hasPasscode(context, user, textOf(reference.passcode)))) throw unauthenticated();
  return { user, methods: ['totp'] };
}

/** The scope is the project of the access token. */
async function byOAuth(context: Context, request: SignedRequest): Promise<Authenticated> {
  const accessToken = await signedAccessToken(context, request);
  const user = await enabledUser(context, { id: accessToken.userId });
  const scope = { kind: 'project', id: accessToken.projectId } as const;
  return { user, methods: ['oauth1'], accessToken, scope };
}

/** By a token of such a sign-in, or by the assertion of an identity provider. */
async function byFederation(
  context: Context,
  method: string,
  data: MethodData,
  request: SignedRequest,
): Promise<Authenticated> {
  if ('id' in data) {
    const token = await requireToken(context, textOf(data.id));
    return { ...(await rescoped(context, token)), methods: [method] };
  }
  for (const name of ['identity_provider', 'protocol'] as const)
    if (!(name in data)) throw expecting(name, 'mapped');
  const key = { providerId: textOf(data.identity_provider), id: textOf(data.protocol) };
  const attributes = await assertedAttributes(context, request);
  return { ...(await signInByAssertion(context, key, attributes)), methods: [method] };
}

/** What an exchanged token of federation says about its user. @throws 400, 403, 404 */
async function rescoped(
  context: Context,
  { user, federation, expiresAt }: Token,
): Promise<Omit<Authenticated, 'methods'>> {
  await verifyFederation(context, federation);
  return { user, ...(federation ? { federation } : {}), expiresAt };
}

async function byToken(context: Context, id: string): Promise<Authenticated> {
  const parent = await requireToken(context, id);
  const { user, methods: earlier, scope, applicationCredential } = parent;
  const methods = ['token', ...earlier.filter((method) => method !== 'token')];
  if (parent.federation) return { ...(await rescoped(context, parent)), methods };
  return {
    user,
    methods,
    parent,
    ...(applicationCredential ? { applicationCredential, ...(scope ? { scope } : {}) } : {}),
  };
}

async function byApplicationCredential(context: Context, data: MethodData): Promise<Authenticated> {
  const { now } = context;
  const credential = await credentialFor(context, data);
  const user = await enabledUser(context, { id: credential.userId });
  if (credential.expiresAt !== null && now >= credential.expiresAt) throw unauthenticated();
  if (!(await passwordMatches(credential.secretHash, textOf(data.secret)))) throw unauthenticated();
  const scope = { kind: 'project', id: credential.projectId } as const;
  return { user, methods: ['application_credential'], applicationCredential: credential, scope };
}

async function credentialFor(
  context: Context,
  { user, ...data }: MethodData,
): Promise<ApplicationCredential> {
  const { db } = context;
  const [id, name] = [textOf(data.id), textOf(data.name)];
  if (id) return found(await findApplicationCredential(db, id), 'application_credential', id);
  if (!name) throw expecting('name or ID', 'application credential');
  if (typeof user !== 'object' || user === null) throw expecting('user', 'application credential');
  const { domain } = user;
  const owner = await enabledUser(context, {
    id: textOf(user.id),
    name: textOf(user.name),
    ...(domain ? { domain: { id: textOf(domain.id), name: textOf(domain.name) } } : {}),
  });
  const credential = (await listApplicationCredentials(db, owner.id)).find(
    (candidate) => nameKey(candidate.name) === nameKey(name),
  );
  if (!credential) throw unauthenticated();
  return credential;
}
