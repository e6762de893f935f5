// The tokens of OpenID providers for tests, and the assertions that they are for Identity. Their
// key follows from that of Identity's own tokens, so that it is stored nowhere else.
import { createECDH, createHmac } from 'node:crypto';
import { SECOND, type Micros } from '../../../../kernel/clock.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { loadJose } from '../../../../kernel/lazy.ts';
import type { Context } from '../../../../kernel/model.ts';
import { tokenKey } from '../../store/auth/tokens.ts';
import type { Attributes } from '../federation/remote-ids.ts';
import type { OidcUser } from '../../model.ts';

/** A key of the curve P-256 as a JSON Web Key; `d` is its secret part. */
interface Key {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
  readonly d: string;
}

const [kid, alg] = ['cumulet', 'ES256'];

/** The purpose of the key: tokens, or the codes that are exchanged for them. */
const secretFor = async (db: Db, purpose: string): Promise<Buffer> =>
  createHmac('sha256', await tokenKey(db))
    .update(`oidc.${purpose}`)
    .digest();

/** The key that signs authorization codes. */
export const codeKey = (db: Db): Promise<Uint8Array> => secretFor(db, 'code');

async function signingKey(db: Db): Promise<Key> {
  const secret = await secretFor(db, 'token');
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(secret);
  const point = ecdh.getPublicKey();
  const [x, y] = [point.subarray(1, 33), point.subarray(33)];
  return {
    kty: 'EC',
    crv: 'P-256',
    x: x.toString('base64url'),
    y: y.toString('base64url'),
    d: secret.toString('base64url'),
  };
}

/** The public key of the tokens, as a JSON Web Key. */
export async function publicKey(db: Db): Promise<object> {
  const { kty, crv, x, y } = await signingKey(db);
  return { kty, crv, x, y, kid, alg, use: 'sig' };
}

/** For how many seconds tokens are valid. */
export const tokenLifetime = 3600;

/** What a token says besides who the user is. */
interface Addressed {
  readonly issuer: string;
  readonly audience: string;
  readonly nonce?: string | undefined;
}

/** A token that says who a user is, by its claims. */
export async function signIdentity(
  { db, now }: Pick<Context, 'db' | 'now'>,
  { name, claims }: OidcUser,
  { issuer, audience, nonce }: Addressed,
): Promise<string> {
  const { CompactSign, importJWK } = await loadJose();
  const issued = Math.floor(now / SECOND);
  const payload = {
    preferred_username: name,
    ...claims,
    iss: issuer,
    sub: name,
    aud: audience,
    ...(nonce === undefined ? {} : { nonce }),
    iat: issued,
    exp: issued + tokenLifetime,
  };
  const key = await importJWK({ ...(await signingKey(db)) }, alg);
  return new CompactSign(new TextEncoder().encode(JSON.stringify(payload)))
    .setProtectedHeader({ alg, kid, typ: 'JWT' })
    .sign(key);
}

/**
 * The attributes of the assertion in a header of the type Bearer, as Apache's mod_auth_openidc
 * gives them to Keystone. Empty without a valid token.
 */
export async function bearerAttributes(
  { db, now }: Pick<Context, 'db' | 'now'>,
  authorization: string | undefined,
): Promise<Attributes> {
  const [, token] = /^bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
  const claims = token === undefined ? undefined : await verifiedClaims(db, token, now);
  if (!claims) return {};
  const attributes: Record<string, string> = { REMOTE_USER: String(claims['sub']) };
  for (const [name, value] of Object.entries(claims)) {
    const text = textOf(value);
    if (text !== undefined) attributes[attributeOf(name)] = text;
  }
  return attributes;
}

async function verifiedClaims(
  db: Db,
  token: string,
  now: Micros,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { compactVerify, importJWK } = await loadJose();
  try {
    const key = await importJWK({ ...(await publicKey(db)) }, alg);
    const { payload } = await compactVerify(token, key, { algorithms: [alg] });
    const claims = JSON.parse(new TextDecoder().decode(payload)) as Record<string, unknown>;
    return now < Number(claims['exp']) * SECOND ? claims : undefined;
  } catch {
    return undefined;
  }
}

/** The attribute of a claim, with the prefix that Keystone's documentation has. */
const attributeOf = (claim: string): string =>
  `HTTP_OIDC_${claim.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;

/** The text of a claim: a semicolon separates several values. */
function textOf(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (Array.isArray(value)) return value.map((one) => textOf(one) ?? '').join(';');
  return JSON.stringify(value);
}
