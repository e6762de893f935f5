// The caller of a request: what its token says of user, project, scope and roles.
import type { Micros } from '../clock.ts';
import type { AccessRule } from './access-rules.ts';
import type { Credentials } from '../oslo/policy.ts';

/** A user with a valid token. */
export interface Caller {
  readonly token: string;
  readonly userId: string;
  readonly userName?: string;
  readonly userDomainId?: string;
  readonly projectId?: string;
  readonly projectName?: string;
  readonly projectDomainId?: string;
  readonly domainId?: string;
  readonly systemScope?: 'all';
  /** Names of roles, implied ones too. */
  readonly roles: readonly string[];
  /** When the token expires. */
  readonly expiresAt: Micros;
  /** The same values under the names that policy rules use. */
  readonly credentials: Credentials;
  /**
   * The access rules of the token's application credential. Without them the token may be used for
   * any request.
   */
  readonly accessRules?: readonly AccessRule[];
}

/** Makes a caller. The credentials are derived from the other fields. */
export function callerOf(fields: Omit<Caller, 'credentials'>): Caller {
  const { userId, userDomainId, projectId, projectDomainId, domainId, systemScope, roles } = fields;
  const known = {
    user_id: userId,
    user_domain_id: userDomainId,
    project_id: projectId,
    project_domain_id: projectDomainId,
    domain_id: domainId,
    system_scope: systemScope,
  };
  const set = Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
  return { ...fields, credentials: { ...set, roles: [...roles] } };
}

/** Finds the caller of a token; undefined where the token is invalid, expired or revoked. */
export type Authenticate = (token: string, now: Micros) => Promise<Caller | undefined>;
