// The callers that tests use with noauth2: a token that names user and project, and the roles in a
// header.

/** The token and headers of a caller, as options of `World.ask`. */
export interface Caller {
  readonly token: string;
  readonly headers: Record<string, string>;
}

/** A caller with these comma-separated roles. User and project default to `demo`. */
export const someone = (roles: string, user = 'demo', project = 'demo'): Caller => ({
  token: `${user}:${project}`,
  headers: { 'x-roles': roles },
});

export const member = someone('member,reader');
export const reader = someone('reader');
