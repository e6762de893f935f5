// The authentication methods: password, token, one-time password, OAuth and application credential.
// Upstream: keystone/auth/plugins.
import { nameKey } from '../../store/names.ts';
import {
  findApplicationCredential,
  listApplicationCredentials,
} from '../../store/application-credential/application-credentials.ts';
import { findUser, findUserByName } from '../../store/identity/users.ts';
import { findProject, findProjectByName } from '../../store/resource/projects.ts';
import { checkPassword } from '../identity/lockout.ts';
import { passwordMatches } from '../identity/passwords.ts';
import type {
  AccessToken,
  ApplicationCredential,
  DomainReference,
  Project,
  Scope,
  Token,
  User,
} from '../../model.ts';
import { expecting, found, unauthenticated } from '../refusals.ts';
import { signedAccessToken } from '../oauth/tokens.ts';
import type { SignedRequest } from '../oauth/signatures.ts';
import { requireToken } from './tokens.ts';
import { hasPasscode } from './totp.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Context } from '../../../../kernel/model.ts';

/** The user who has authenticated, and by which methods. */
export interface Authenticated {
  readonly user: User;
  readonly methods: readonly string[];
  /** The token that the method `token` authenticated with. */
  readonly parent?: Token;
  readonly applicationCredential?: ApplicationCredential;
  readonly accessToken?: AccessToken;
  /** The scope, if the method determines it. */
  readonly scope?: Scope;
}

interface UserReference extends DomainReference {
  readonly password?: string;
  readonly passcode?: string;
  readonly domain?: DomainReference;
}

/** The data of a method. The contract does not check those of an application credential. */
interface MethodData {
  readonly id?: unknown;
  readonly name?: unknown;
  readonly secret?: unknown;
  readonly user?: UserReference;
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
  return byApplicationCredential(context, data);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

async function byPassword(
  context: Context,
  { user: reference }: MethodData,
): Promise<Authenticated> {
  if (!reference) throw expecting('user', 'password');
  const user = await enabledUser(context.db, reference);
  await checkPassword(context, user, reference.password ?? '');
  return { user, methods: ['password'] };
}

async function byTotp(context: Context, { user: reference }: MethodData): Promise<Authenticated> {
  if (!reference) throw expecting('user', 'totp');
  const user = await enabledUser(context.db, reference);
  if (!(await hasPasscode(context, user, textOf(reference.passcode)))) throw unauthenticated();
  return { user, methods: ['totp'] };
}

/** The scope is the project of the access token. */
async function byOAuth(context: Context, request: SignedRequest): Promise<Authenticated> {
  const accessToken = await signedAccessToken(context, request);
  const user = await enabledUser(context.db, { id: accessToken.userId });
  const scope = { kind: 'project', id: accessToken.projectId } as const;
  return { user, methods: ['oauth1'], accessToken, scope };
}

async function byToken(context: Context, id: string): Promise<Authenticated> {
  const parent = await requireToken(context, id);
  const { user, methods, scope, applicationCredential } = parent;
  return {
    user,
    methods: ['token', ...methods.filter((method) => method !== 'token')],
    parent,
    ...(applicationCredential ? { applicationCredential, ...(scope ? { scope } : {}) } : {}),
  };
}

async function byApplicationCredential(
  { db, now }: Context,
  data: MethodData,
): Promise<Authenticated> {
  const credential = await credentialFor(db, data);
  const user = await enabledUser(db, { id: credential.userId });
  if (credential.expiresAt !== null && now >= credential.expiresAt) throw unauthenticated();
  if (!(await passwordMatches(credential.secretHash, textOf(data.secret)))) throw unauthenticated();
  const scope = { kind: 'project', id: credential.projectId } as const;
  return { user, methods: ['application_credential'], applicationCredential: credential, scope };
}

async function credentialFor(
  db: Db,
  { user, ...data }: MethodData,
): Promise<ApplicationCredential> {
  const [id, name] = [textOf(data.id), textOf(data.name)];
  if (id) return found(await findApplicationCredential(db, id), 'application_credential', id);
  if (!name) throw expecting('name or ID', 'application credential');
  if (typeof user !== 'object' || user === null) throw expecting('user', 'application credential');
  const { domain } = user;
  const owner = await enabledUser(db, {
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

async function enabledUser(db: Db, { id, name, domain }: UserReference): Promise<User> {
  if (!id && !name) throw expecting('id or name', 'user');
  if (name && !domain) throw expecting('domain', 'user');
  const namedDomain = name ? await enabledDomain(db, domain!) : undefined;
  const user = name ? await findUserByName(db, name, namedDomain!.id) : await findUser(db, id!);
  if (!user?.enabled) throw unauthenticated();
  if (!namedDomain) await enabledDomain(db, { id: user.domainId });
  return user;
}

/**
 * Finds an enabled domain.
 * @throws 400 if the reference is empty, 401 if the domain does not exist or is disabled
 */
export async function enabledDomain(db: Db, { id, name }: DomainReference): Promise<Project> {
  if (!id && !name) throw expecting('id or name', 'domain');
  const domain = name ? await findProjectByName(db, name, null) : await findProject(db, id!);
  if (!domain?.isDomain || !domain.enabled) throw unauthenticated();
  return domain;
}
