// The caller of a request: user, project, scope and roles, as in the token.
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
  /** Names of the roles, including implied roles. */
  readonly roles: readonly string[];
  /** When the token expires. */
  readonly expiresAt: Micros;
  /** The same values, named as in policy rules. */
  readonly credentials: Credentials;
  /**
   * The access rules of the token's application credential. Undefined if the token may be used for
   * any request.
   */
  readonly accessRules?: readonly AccessRule[];
}

/** Creates a caller, and derives the credentials from the other fields. */
export function callerOf(fields: Omit<Caller, 'credentials'>): Caller {
  const { userId, userDomainId, projectId, projectDomainId, domainId, systemScope, roles } = fields;
  const named = {
    user_id: userId,
    user_domain_id: userDomainId,
    project_id: projectId,
    project_domain_id: projectDomainId,
    domain_id: domainId,
    system_scope: systemScope,
  };
  const set = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
  return { ...fields, credentials: { ...set, roles: [...roles] } };
}

/** Finds the caller of a token; undefined if the token is invalid, expired or revoked. */
export type Authenticate = (token: string, now: Micros) => Promise<Caller | undefined>;
