// Tokens: what is signed, and what it is worth at a moment.
import { loadJose } from '../../../../kernel/later.ts';
import { SECOND, type Micros } from '../../../../kernel/clock.ts';
import { newSecret } from '../../../../kernel/ids.ts';
import { findApplicationCredential } from '../../store/application-credential/application-credentials.ts';
import { findProject } from '../../store/resource/projects.ts';
import { isRevoked } from '../../store/auth/tokens.ts';
import { findUser } from '../../store/identity/users.ts';
import { Fault } from '../../../../kernel/fault.ts';
import type { ApplicationCredential, Project, Role, Trust, User } from '../records.ts';
import { rolesIn, type Scope } from '../assignment/effective-roles.ts';
import { delegationOf } from '../trust/trust-tokens.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/** How long a token is good for. */
export const lifetime: Micros = 3600 * SECOND;

/** How long after its end a token can still be asked about by those who say so. Upstream: [token] allow_expired_window. */
export const expiredWindow: Micros = 2 * 24 * 3600 * SECOND;

/** What a token says. All that it stands for is looked up, but for this. */
export interface Claims {
  readonly userId: string;
  readonly methods: readonly string[];
  readonly scope?: Scope;
  /** Its own audit id, and that of the first token in the chain if it was issued for another token. */
  readonly auditIds: readonly string[];
  readonly applicationCredentialId?: string;
  readonly issuedAt: Micros;
  readonly expiresAt: Micros;
  /** The counts of user, scope and domains when it was issued: as soon as one has gone up, the token is worth nothing. */
  readonly epochs: string;
}

/** A token with all that it stands for. */
export interface Token extends Claims {
  readonly id: string;
  readonly user: User;
  readonly userDomain: Project;
  readonly project?: Project;
  /** Of the project; or what the token is for. */
  readonly projectDomain?: Project;
  readonly domain?: Project;
  readonly roles: readonly Role[];
  readonly applicationCredential?: ApplicationCredential;
  /** What it was got by; an impersonating one makes the trustor the `user`, while `userId` is always the trustee. */
  readonly trust?: Trust;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Claims as they are signed: without names, for a token goes along with every request. */
type Always = [
  userId: string,
  methods: readonly string[],
  auditIds: readonly string[],
  issuedAt: Micros,
  expiresAt: Micros,
  epochs: string,
];
type Packed = [...Always, kind?: Scope['kind'], place?: string, applicationCredentialId?: string, trustId?: string];

function packed({ userId, methods, auditIds, issuedAt, expiresAt, epochs, scope, applicationCredentialId }: Claims): Packed {
  const place = scope && 'id' in scope ? scope.id : '';
  const always: Always = [userId, methods, auditIds, issuedAt, expiresAt, epochs];
  if (!scope) return always;
  const trustId = 'trustId' in scope ? scope.trustId : undefined;
  if (trustId) return [...always, scope.kind, place, applicationCredentialId ?? '', trustId];
  return applicationCredentialId ? [...always, scope.kind, place, applicationCredentialId] : [...always, scope.kind, place];
}

function unpacked([
  userId,
  methods,
  auditIds,
  issuedAt,
  expiresAt,
  epochs,
  kind,
  place,
  applicationCredentialId,
  trustId,
]: Packed): Claims {
  return {
    userId,
    methods,
    auditIds,
    issuedAt,
    expiresAt,
    epochs,
    ...(kind ? { scope: { kind, ...(place ? { id: place } : {}), ...(trustId ? { trustId } : {}) } as Scope } : {}),
    ...(applicationCredentialId ? { applicationCredentialId } : {}),
  };
}

/** The token for the claims: a compact JWS. */
export async function signToken(claims: Claims, key: Uint8Array): Promise<string> {
  const { CompactSign } = await loadJose();
  return new CompactSign(encoder.encode(JSON.stringify(packed(claims)))).setProtectedHeader({ alg: 'HS256' }).sign(key);
}

/** What a token says; undefined where this cloud did not sign it. */
export async function readToken(id: string, key: Uint8Array): Promise<Claims | undefined> {
  try {
    const { compactVerify } = await loadJose();
    const { payload } = await compactVerify(id, key, { algorithms: ['HS256'] });
    return unpacked(JSON.parse(decoder.decode(payload)) as Packed);
  } catch {
    return undefined;
  }
}

/** 16 random bytes in 22 letters. */
export const newAuditId = (): string => newSecret(16);

/** What is to be known of a token before it is issued. */
export type Draft = Omit<Claims, 'epochs'>;

/** Those that a token rests on, where they are there and enabled. */
type Standing = Omit<Token, 'id' | 'epochs'> & { readonly epochs: string };

/**
 * Looks up what a token would stand for; undefined where it is worth nothing: someone disabled or gone, or no role left.
 * @throws what a trust is refused with
 */
export async function standing(db: Db, draft: Draft, now: Micros): Promise<Standing | undefined> {
  const delegation = await delegationOf(db, draft, now);
  const user = await findUser(db, draft.userId);
  const userDomain = user?.enabled ? await findProject(db, user.domainId) : undefined;
  if (!user || !userDomain?.enabled) return undefined;
  const place = await placeOf(db, draft.scope);
  if (!place) return undefined;
  const credential = draft.applicationCredentialId
    ? await findApplicationCredential(db, draft.applicationCredentialId)
    : undefined;
  if (draft.applicationCredentialId && !credential) return undefined;
  const held = delegation?.roles ?? (draft.scope ? await rolesIn(db, draft.userId, draft.scope) : []);
  const roles = credential ? held.filter((role) => credential.roleIds.includes(role.id)) : held;
  if (draft.scope && !roles.length) return undefined;
  const rests = [user, userDomain, place.project, place.projectDomain, place.domain, ...(delegation?.rests ?? [])];
  const epochs = rests.map((one) => one?.tokenEpoch ?? '').join('.');
  const credentialPart = credential ? { applicationCredential: credential } : {};
  return { ...draft, user, userDomain, ...place, roles, ...credentialPart, ...delegation?.shown, epochs };
}

type Place = Pick<Token, 'project' | 'projectDomain' | 'domain'>;

async function placeOf(db: Db, scope: Scope | undefined): Promise<Place | undefined> {
  if (!scope || scope.kind === 'system') return {};
  const project = await findProject(db, scope.id);
  if (!project?.enabled) return undefined;
  if (scope.kind === 'domain') return project.isDomain ? { domain: project } : undefined;
  const projectDomain = project.domainId === null ? undefined : await findProject(db, project.domainId);
  return projectDomain?.enabled ? { project, projectDomain } : undefined;
}

/** Why a token is worth nothing. `unknown`: not one of ours; `failed`: expired or taken back; a fault: its trust says so. */
export type Worthless = 'unknown' | 'failed' | Fault;

/** Whether a token turned out to be worth nothing. */
export const isWorthless = (found: Token | Worthless): found is Worthless => typeof found === 'string' || found instanceof Fault;

/** What a token is worth now, or within `window` after its end. */
export async function evaluate(db: Db, id: string, claims: Claims, now: Micros, window: Micros = 0): Promise<Token | Worthless> {
  if (now >= claims.expiresAt + window) return 'failed';
  if (await isRevoked(db, claims.auditIds[0]!)) return 'failed';
  const found = await standing(db, claims, now).catch(onlyFaults);
  if (found instanceof Fault) return found;
  if (!found) return 'unknown';
  return found.epochs === claims.epochs ? { ...found, id } : 'failed';
}

/** What a trust is refused with is why its tokens are worth nothing. */
function onlyFaults(error: unknown): Fault {
  if (error instanceof Fault) return error;
  throw error;
}
