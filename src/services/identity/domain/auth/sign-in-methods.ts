// The methods of signing in: by password, by another token, by an application credential.
import type { Micros } from '../../../../kernel/clock.ts';
import { notFound } from '../../../../kernel/fault.ts';
import {
  findApplicationCredential,
  listApplicationCredentials,
} from '../../store/application-credential/application-credentials.ts';
import { findProject, findProjectByName } from '../../store/resource/projects.ts';
import { tokenKey } from '../../store/auth/tokens.ts';
import { findUser, findUserByName } from '../../store/identity/users.ts';
import { passwordMatches } from '../identity/passwords.ts';
import type { ApplicationCredential, Project, User } from '../records.ts';
import { expecting, found, missing, unauthenticated } from '../refusals.ts';
import { evaluate, isWorthless, readToken, type Token } from './tokens.ts';
import type { Scope } from '../assignment/effective-roles.ts';
import type { Db } from '../../../../kernel/db/database.ts';

export const methodNames: readonly string[] = ['password', 'token', 'application_credential'];

/** Who has signed in, and how. */
export interface Identified {
  readonly user: User;
  readonly methods: readonly string[];
  /** The token that was signed in with. */
  readonly parent?: Token;
  readonly applicationCredential?: ApplicationCredential;
  /** Where the method settles the scope. */
  readonly scope?: Scope;
}

/** A domain by id or name. */
export interface DomainReference {
  readonly id?: string;
  readonly name?: string;
}

interface UserReference extends DomainReference {
  readonly password?: string;
  readonly domain?: DomainReference;
}

/** The contract says nothing about what an application credential is told by. */
interface MethodData {
  readonly id?: unknown;
  readonly name?: unknown;
  readonly secret?: unknown;
  readonly user?: UserReference;
}

/** Signs in by one method. @throws 400, 401, 404 */
export async function signInBy(db: Db, method: string, data: MethodData, now: Micros): Promise<Identified> {
  if (typeof data !== 'object' || data === null) throw expecting(method, 'identity');
  if (method === 'password') return byPassword(db, data);
  if (method === 'token') return byToken(db, textOf(data.id), now);
  return byApplicationCredential(db, data, now);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

async function byPassword(db: Db, { user: reference }: MethodData): Promise<Identified> {
  if (!reference) throw expecting('user', 'password');
  const user = await enabledUser(db, reference);
  if (!(await passwordMatches(user.passwordHash, reference.password ?? ''))) throw unauthenticated();
  return { user, methods: ['password'] };
}

async function byToken(db: Db, id: string, now: Micros): Promise<Identified> {
  const parent = await validToken(db, id, now);
  const { user, methods, scope, applicationCredential } = parent;
  return {
    user,
    methods: ['token', ...methods.filter((method) => method !== 'token')],
    parent,
    ...(applicationCredential ? { applicationCredential, ...(scope ? { scope } : {}) } : {}),
  };
}

/** A token that is worth something, now or within `window` after its end. @throws 404 */
export async function validToken(db: Db, id: string, now: Micros, window: Micros = 0): Promise<Token> {
  const claims = await readToken(id, await tokenKey(db));
  const token = claims ? await evaluate(db, id, claims, now, window) : 'unknown';
  if (token === 'unknown') throw missing('token', id);
  if (token === 'failed') throw notFound('Failed to validate token');
  if (isWorthless(token)) throw token;
  return token;
}

async function byApplicationCredential(db: Db, data: MethodData, now: Micros): Promise<Identified> {
  const credential = await credentialFor(db, data);
  const user = await enabledUser(db, { id: credential.userId });
  if (credential.expiresAt !== null && now >= credential.expiresAt) throw unauthenticated();
  if (!(await passwordMatches(credential.secretHash, textOf(data.secret)))) throw unauthenticated();
  const scope = { kind: 'project', id: credential.projectId } as const;
  return { user, methods: ['application_credential'], applicationCredential: credential, scope };
}

async function credentialFor(db: Db, { user, ...data }: MethodData): Promise<ApplicationCredential> {
  const [id, name] = [textOf(data.id), textOf(data.name)];
  if (id) return found(await findApplicationCredential(db, id), 'applicationCredential', id);
  if (!name) throw expecting('name or ID', 'application credential');
  if (typeof user !== 'object' || user === null) throw expecting('user', 'application credential');
  const { domain } = user;
  const owner = await enabledUser(db, {
    id: textOf(user.id),
    name: textOf(user.name),
    ...(domain ? { domain: { id: textOf(domain.id), name: textOf(domain.name) } } : {}),
  });
  const credential = (await listApplicationCredentials(db, owner.id)).find((one) => one.name === name);
  if (!credential) throw unauthenticated();
  return credential;
}

async function enabledUser(db: Db, { id, name, domain }: UserReference): Promise<User> {
  if (!id && !name) throw expecting('id or name', 'user');
  if (name && !domain) throw expecting('domain', 'user');
  const home = name ? await enabledDomain(db, domain!) : undefined;
  const user = name ? await findUserByName(db, name, home!.id) : await findUser(db, id!);
  if (!user?.enabled) throw unauthenticated();
  if (!home) await enabledDomain(db, { id: user.domainId });
  return user;
}

/** @throws 401 where there is no such domain, or it is disabled */
export async function enabledDomain(db: Db, { id, name }: DomainReference): Promise<Project> {
  if (!id && !name) throw expecting('id or name', 'domain');
  const domain = name ? await findProjectByName(db, name, null) : await findProject(db, id!);
  if (!domain?.isDomain || !domain.enabled) throw unauthenticated();
  return domain;
}
