// Who is calling: what a token says, in the terms of policy.
import type { Micros } from '../clock.ts';
import type { AccessRule } from './access-rules.ts';
import type { Credentials } from './policy.ts';

/** The one who makes a request. */
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
  /** After this moment the token is worth nothing. */
  readonly expiresAt: Micros;
  /** The same, as policy rules know it. */
  readonly credentials: Credentials;
  /** All that the token may be used for, where it is bound to rules. */
  readonly accessRules?: readonly AccessRule[];
}

/** Puts a caller together; the credentials follow from the rest. */
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

/** Finds out who a token belongs to; undefined where it is worth nothing. */
export type Authenticate = (token: string, now: Micros) => Promise<Caller | undefined>;
