// The callers of the tests: tokens without Keystone, and the roles that they have.

/** A caller, as a request of `World.ask` names one. */
export interface Caller {
  readonly token: string;
  readonly headers: Record<string, string>;
}

/**
 * Someone with these roles, comma-separated; as the user and in the project `demo`, where no others
 * are given.
 */
export const someone = (roles: string, user = 'demo', project = 'demo'): Caller => ({
  token: `${user}:${project}`,
  headers: { 'x-roles': roles },
});

export const member = someone('member,reader');
export const reader = someone('reader');
