// Finds the caller of a token, for every service. Every request needs one, so results are cached
// until something that tokens depend on changes.
import { callerOf, type Authenticate, type Caller } from '../../kernel/auth/caller.ts';
import type { Cloud } from '../../kernel/model.ts';
import { readToken } from './domain/auth/claims.ts';
import { isInvalid, validateToken } from './domain/auth/tokens.ts';
import { tokenKey } from './store/auth/tokens.ts';
import type { Claims, Token } from './model.ts';

/** A caller with the resolved token, which Identity's own handlers use. */
export interface TokenCaller extends Caller {
  readonly info: Token;
  /** The value of `auth.revision` before the token was validated. */
  readonly authRevision: number;
}

interface Cached {
  readonly caller: TokenCaller;
  readonly claims: Claims;
  /** The key that the token was signed with. */
  readonly key: Uint8Array;
}

/** The number of tokens in the cache. */
const maxCachedTokens = 1000;

/** Returns the function that finds the caller of a token of this cloud. */
export function authenticator(cloud: Cloud): Authenticate {
  const cache = new Map<string, Cached>();
  let lastKey: { readonly key: Uint8Array; readonly revision: number } | undefined;

  /** The key that signs tokens. It changes if the state of another cloud is restored. */
  const keyAtRevision = async (revision: number): Promise<Uint8Array> => {
    if (lastKey?.revision === revision) return lastKey.key;
    const key = await tokenKey(cloud.central.db);
    const isSame = lastKey && Buffer.compare(lastKey.key, key) === 0;
    lastKey = { key: isSame ? lastKey!.key : key, revision };
    return lastKey.key;
  };

  const addToCache = (token: string, cached: Cached): void => {
    cache.set(token, cached);
    if (cache.size > maxCachedTokens) cache.delete(cache.keys().next().value!);
  };

  return async (token, now) => {
    const { authRevision: revision } = await cloud.sharedState.read();
    const cached = cache.get(token);
    // A map iterates in insertion order, so deleting and inserting an entry again keeps the least
    // recently used token first.
    if (cached) cache.delete(token);
    if (
      cached?.caller.authRevision === revision &&
      now < (cached.caller.info.rolesUntil ?? Infinity)
    ) {
      if (now >= cached.claims.expiresAt) return undefined;
      cache.set(token, cached);
      return cached.caller;
    }
    const { db } = cloud.central;
    const key = await keyAtRevision(revision);
    const claims = cached?.key === key ? cached.claims : await readToken(token, key);
    const info = claims && (await validateToken({ db, now }, token, claims));
    if (info === undefined || isInvalid(info)) return undefined;
    const caller = { ...tokenCaller(info), authRevision: revision };
    addToCache(token, { caller, claims: claims!, key });
    return caller;
  };
}

/**
 * The caller of a token. The credentials include the attributes that only Identity's rules check.
 */
export function tokenCaller(info: Token): Omit<TokenCaller, 'authRevision'> {
  const { user, project, domain, scope } = info;
  const caller = callerOf({
    token: info.id,
    userId: user.id,
    userName: user.name,
    userDomainId: user.domainId,
    ...(project
      ? { projectId: project.id, projectName: project.name, projectDomainId: project.domainId! }
      : {}),
    ...(domain ? { domainId: domain.id } : {}),
    ...(scope?.kind === 'system' ? { systemScope: 'all' as const } : {}),
    roles: info.roles.map((role) => role.name),
    expiresAt: info.expiresAt,
  });
  // Upstream: keystone/common/context.py adds the token itself to the values, and an explicit None
  // for a missing domain.
  const token = {
    ...(project ? { project: { id: project.id, domain: { id: project.domainId } } } : {}),
    ...(domain ? { domain: { id: domain.id } } : {}),
  };
  const rules = info.applicationCredential?.accessRules;
  const limited = rules?.length ? { accessRules: rules } : {};
  return {
    ...caller,
    ...limited,
    info,
    credentials: { ...caller.credentials, domain_id: domain?.id ?? null, token },
  };
}
