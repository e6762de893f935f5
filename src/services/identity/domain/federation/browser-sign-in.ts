// Sends browsers to OpenID providers for tests and reads what they come back with. In a real cloud,
// Apache's mod_auth_openidc does that before Keystone gets the request.
import { createHmac } from 'node:crypto';
import { sameSecret } from '../../../../kernel/auth/same-secret.ts';
import { SECOND, type Micros } from '../../../../kernel/clock.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { badRequest } from '../../../../kernel/errors.ts';
import { newSecret } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import { tokenKey } from '../../store/auth/tokens.ts';
import { insertUsedState } from '../../store/federation/used-states.ts';
import { readSigned, signValue } from '../auth/claims.ts';
import { grantedUser } from '../oidc/grants.ts';
import { signIdentity } from '../oidc/tokens.ts';
import { OAuth2Error, refuseOnDuplicate, unauthenticated } from '../refusals.ts';
import { offersOf } from './remote-ids.ts';

/** The operation by which a browser enters: with the identity provider in its path or without. */
export interface Entrance {
  readonly providerId: string | undefined;
  readonly protocolId: string;
}

/** An OpenID provider for tests at which the users of an identity provider sign in. */
export interface SignInPlace {
  /** The name of the OpenID provider. */
  readonly issuer: string;
  /** The URL by which the identity provider knows it. */
  readonly remoteId: string;
  /** The id of the identity provider. */
  readonly providerId: string;
}

/**
 * The places at which a browser can sign in: those that the remote ids of enabled identity
 * providers with the protocol name. An identity provider without remote ids takes any issuer.
 * @param prefix the path of Identity, such as `/identity`
 * @param issuerUrl the place that the request names; undefined for all
 */
export async function signInPlaces(
  context: Context,
  { providerId, protocolId }: Entrance,
  prefix: string,
  issuerUrl: string | undefined,
): Promise<SignInPlace[]> {
  const offers = (await offersOf(context, protocolId)).filter(
    ({ provider: { enabled, id } }) => enabled && (providerId === undefined || id === providerId),
  );
  const isWanted = ({ remoteId }: SignInPlace): boolean =>
    issuerUrl === undefined || remoteId === issuerUrl;
  return offers
    .flatMap(({ provider: { id, remoteIds } }) => {
      const isOpen = providerId !== undefined && !remoteIds.length && issuerUrl !== undefined;
      return (isOpen ? [issuerUrl] : remoteIds).flatMap((remoteId) => {
        const issuer = issuerIn(remoteId, prefix);
        return issuer === undefined ? [] : [{ issuer, remoteId, providerId: id }];
      });
    })
    .filter(isWanted);
}

/**
 * The name of the OpenID provider for tests at a URL; undefined if the URL is of another kind. The
 * host may be any, because a cloud has several names.
 */
function issuerIn(url: string, prefix: string): string | undefined {
  const { pathname = '' } = URL.canParse(url) ? new URL(url) : {};
  const [, name] = /\/oidc\/([^/]+)$/.exec(pathname) ?? [];
  const isHere = pathname === `${prefix}/oidc/${name}` || pathname === `/identity/oidc/${name}`;
  if (name === undefined || !isHere) return undefined;
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}

/** What the browser keeps in a cookie while the user signs in. */
interface Pending {
  readonly state: string;
  readonly nonce: string;
  readonly issuer: string;
  readonly remoteId: string;
  readonly redirectUri: string;
  readonly expiresAt: Micros;
}

/** For how many seconds users can sign in. Apache: OIDCStateTimeout. */
export const pendingLifetime = 300;

/** The name of Keystone as a client of the OpenID provider. */
export const clientId = 'keystone';

const pendingKey = async (db: Db): Promise<Uint8Array> =>
  createHmac('sha256', await tokenKey(db))
    .update('single-sign-on')
    .digest();

/** A sign-in that has begun: `cookie` is for the browser, the others are for the provider. */
export interface Begun {
  readonly state: string;
  readonly nonce: string;
  readonly cookie: string;
}

/** Begins a sign-in, after which the provider sends the browser to `redirectUri`. */
export async function beginSignIn(
  { db, now }: Context,
  { issuer, remoteId }: SignInPlace,
  redirectUri: string,
): Promise<Begun> {
  const [state, nonce] = [newSecret(16), newSecret(16)];
  const expiresAt = now + pendingLifetime * SECOND;
  const pending: Pending = { state, nonce, issuer, remoteId, redirectUri, expiresAt };
  return { state, nonce, cookie: await signValue(pending, await pendingKey(db)) };
}

/** What a browser comes back with. */
export interface Returned {
  readonly state: string;
  readonly code: string;
  /** The cookie of the sign-in with that state; undefined if the browser has none. */
  readonly cookie: string | undefined;
  readonly redirectUri: string;
}

/**
 * The assertion about the user of a browser that comes back, as a token of the provider.
 * @throws 400 if this browser has not begun the sign-in, or has done so too long ago, or has ended
 *   it before; 401 if the code is not of that sign-in
 */
export async function assertionFor(
  context: Context,
  { state, code, cookie, redirectUri }: Returned,
): Promise<string> {
  const { db, now } = context;
  const pending = (await readSigned(cookie ?? '', await pendingKey(db))) as Pending | undefined;
  const isValid =
    pending !== undefined &&
    sameSecret(pending.state, state) &&
    pending.redirectUri === redirectUri &&
    now < pending.expiresAt;
  if (!isValid) throw notBegun();
  await refuseOnDuplicate(insertUsedState(db, pending, now), notBegun);
  const { issuer, remoteId, nonce } = pending;
  const granted = await grantOf(context, issuer, { code, redirectUri });
  if (granted.nonce !== nonce) throw unauthenticated();
  return signIdentity(context, granted.user, { issuer: remoteId, audience: clientId, nonce });
}

const notBegun = () =>
  badRequest(
    'The single sign-on has expired or ended, or was begun by another browser. Begin again.',
  );

async function grantOf(
  context: Context,
  issuer: string,
  { code, redirectUri }: Pick<Returned, 'code' | 'redirectUri'>,
): ReturnType<typeof grantedUser> {
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    client_id: clientId,
    redirect_uri: redirectUri,
  });
  try {
    return await grantedUser(context, { issuer, form, basic: undefined });
  } catch (error) {
    throw error instanceof OAuth2Error ? unauthenticated() : error;
  }
}
