// How clients get tokens of an OpenID provider for tests: with the password of a user, as a client
// with a secret, or with the code that was issued to a user.
import { SECOND, type Micros } from '../../../../kernel/clock.ts';
import type { Context } from '../../../../kernel/model.ts';
import { findOidcUser } from '../../store/oidc/users.ts';
import type { OidcUser } from '../../model.ts';
import { readSigned, signValue } from '../auth/claims.ts';
import { passwordMatches } from '../identity/passwords.ts';
import { OAuth2Error } from '../refusals.ts';
import { codeKey } from './tokens.ts';

/** A name with a password, or a client with its secret. */
export interface Credentials {
  readonly name: string;
  readonly password: string;
}

/** The grants that a provider knows. */
export const grantTypes = ['password', 'client_credentials', 'authorization_code'] as const;

/** What a client asks for a token with. */
export interface GrantRequest {
  readonly issuer: string;
  readonly form: URLSearchParams;
  /** The credentials in the header Authorization. */
  readonly basic: Credentials | undefined;
}

/** An authorization code, which a provider issues to a user for a client. */
interface Code {
  readonly issuer: string;
  readonly name: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly nonce?: string;
  readonly expiresAt: Micros;
}

/** The user or client that a grant is for, and the client that asks for it. */
interface Granted {
  readonly user: OidcUser;
  readonly clientId: string;
  /** What the client sent with the user to the provider. */
  readonly nonce?: string | undefined;
}

/** For how many seconds a code can be exchanged for a token. */
const codeLifetime = 60;

/** Checks a grant. @throws OAuth2Error */
export async function grantedUser(context: Context, request: GrantRequest): Promise<Granted> {
  const { issuer, form, basic } = request;
  const clientId = basic?.name ?? form.get('client_id') ?? '';
  const type = form.get('grant_type');
  if (type === 'password') {
    const given = { name: form.get('username') ?? '', password: form.get('password') ?? '' };
    const user = await userWith(context, issuer, given);
    if (!user) throw invalidGrant('The user name or the password is wrong.');
    return { user, clientId };
  }
  if (type === 'client_credentials') {
    const client = basic ?? { name: clientId, password: form.get('client_secret') ?? '' };
    const user = await userWith(context, issuer, client);
    if (!user) throw new OAuth2Error(401, 'invalid_client', 'The client or its secret is wrong.');
    return { user, clientId };
  }
  if (type === 'authorization_code') return { ...(await userOfCode(context, request)), clientId };
  if (type === null) throw invalidRequest('The parameter grant_type is required.');
  const message = `The parameter grant_type ${type} is not supported.`;
  throw new OAuth2Error(400, 'unsupported_grant_type', message);
}

const invalidGrant = (message: string): OAuth2Error =>
  new OAuth2Error(400, 'invalid_grant', message);
const invalidRequest = (message: string): OAuth2Error =>
  new OAuth2Error(400, 'invalid_request', message);

/** The user with these credentials; undefined if one of them is wrong. */
export async function userWith(
  { db }: Pick<Context, 'db'>,
  issuer: string,
  { name, password }: Credentials,
): Promise<OidcUser | undefined> {
  const user = await findOidcUser(db, issuer, name);
  return user && (await passwordMatches(user.passwordHash, password)) ? user : undefined;
}

/** Finds the user for whom the code in a request was issued. @throws OAuth2Error */
async function userOfCode(
  context: Context,
  { issuer, form, basic }: GrantRequest,
): Promise<Omit<Granted, 'clientId'>> {
  const { db, now } = context;
  const code = (await readSigned(form.get('code') ?? '', await codeKey(db))) as Code | undefined;
  const clientId = basic?.name ?? form.get('client_id');
  const isValid =
    code?.issuer === issuer &&
    code.clientId === clientId &&
    code.redirectUri === form.get('redirect_uri') &&
    now < code.expiresAt;
  const user = isValid ? await findOidcUser(db, issuer, code.name) : undefined;
  if (!user) throw invalidGrant('The code is invalid, expired, or of another client.');
  return { user, nonce: code?.nonce };
}

/**
 * The URL to which a browser goes after a user has signed in: that of the client, with a code.
 * @returns undefined if the user's name or password is wrong
 * @throws OAuth2Error
 */
export async function redirection(
  context: Context,
  issuer: string,
  query: URLSearchParams,
  credentials: Credentials | undefined,
): Promise<string | undefined> {
  const { db, now } = context;
  const [clientId, redirectUri] = [query.get('client_id'), query.get('redirect_uri') ?? ''];
  if (query.get('response_type') !== 'code')
    throw new OAuth2Error(400, 'unsupported_response_type', 'The only response_type is code.');
  if (!clientId) throw invalidRequest('The parameter client_id is required.');
  const url = URL.canParse(redirectUri) ? new URL(redirectUri) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw invalidRequest('The parameter redirect_uri must be a URL.');
  const user = credentials && (await userWith(context, issuer, credentials));
  if (!user) return undefined;
  const expiresAt = now + codeLifetime * SECOND;
  const nonce = query.get('nonce');
  const code: Code = {
    issuer,
    name: user.name,
    clientId,
    redirectUri,
    ...(nonce === null ? {} : { nonce }),
    expiresAt,
  };
  url.searchParams.set('code', await signValue(code, await codeKey(db)));
  const state = query.get('state');
  if (state !== null) url.searchParams.set('state', state);
  return url.href;
}
