// Requests that are signed as OAuth 1.0a says (RFC 5849). Packages that sign requests do not check
// signatures: the client has chosen the parameters and their encoding.
import { createHmac } from 'node:crypto';
import { sameSecret } from '../../../../kernel/auth/same-secret.ts';
import { SECOND, type Micros } from '../../../../kernel/clock.ts';
import { badRequest } from '../../../../kernel/errors.ts';
import { percentEncoded } from '../percent-encoding.ts';
import { expecting } from '../refusals.ts';

/** A request as its client has signed it. */
export interface SignedRequest {
  readonly method: string;
  /** The URL without query. */
  readonly url: string;
  /** The query, without `?`. */
  readonly query: string;
  /** The header Authorization. */
  readonly authorization: string | undefined;
  /** The header Cookie, which is not signed. */
  readonly cookie: string | undefined;
}

/** The parameters of the header, such as `oauth_token`, decoded. */
export type OAuthParams = ReadonlyMap<string, string>;

/** By how many seconds the time of a request may differ. */
const tolerance = 600;

const hashes: ReadonlyMap<string, string> = new Map([
  ['HMAC-SHA1', 'sha1'],
  ['HMAC-SHA256', 'sha256'],
  ['HMAC-SHA512', 'sha512'],
]);
const methods = [...hashes.keys(), 'PLAINTEXT'];

/** Reads the parameters. @throws 400 if the request has no OAuth header */
export function oauthParams({ authorization }: SignedRequest): OAuthParams {
  if (!authorization?.toLowerCase().startsWith('oauth '))
    throw expecting('OAuth', 'Authorization header');
  const pairs = commaSeparated(authorization.slice(6)).map((part) => {
    const [name = '', ...value] = part.split('=');
    return [name.trim(), decoded(unquoted(value.join('=').trim()))] as const;
  });
  return new Map(pairs.filter(([name]) => name !== ''));
}

/** A parameter that an operation needs. @throws 400 */
export function requiredParam(params: OAuthParams, name: string): string {
  const value = params.get(name);
  if (!value) throw expecting(name, 'request');
  return value;
}

/** The parts of a header, in which commas between quotes separate nothing. */
function commaSeparated(text: string): string[] {
  const parts: string[] = [];
  let [start, isQuoted] = [0, false];
  for (let index = 0; index <= text.length; index++) {
    const sign = text[index];
    if (sign === '"') isQuoted = !isQuoted;
    if (sign !== undefined && (sign !== ',' || isQuoted)) continue;
    parts.push(text.slice(start, index));
    start = index + 1;
  }
  return parts;
}

const unquoted = (text: string): string =>
  text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @throws 400 if a parameter that every request needs is missing or malformed */
export function checkParams({ query }: SignedRequest, params: OAuthParams, now: Micros): void {
  if (queryPairs(query).some(([name]) => name.startsWith('oauth_')))
    throw invalid('oauth_ params must come from only 1 signature type');
  const [method, key, nonce, time, signature] = [
    'oauth_signature_method',
    'oauth_consumer_key',
    'oauth_nonce',
    'oauth_timestamp',
    'oauth_signature',
  ].map((name) => params.get(name));
  if (!method || !key || !nonce || !time || !signature)
    throw invalid('Missing mandatory OAuth parameters.');
  if (!methods.includes(method))
    throw invalid(
      `Invalid signature, ${method} not in [${methods.map((name) => `'${name}'`).join(', ')}].`,
      'invalid_signature_method',
    );
  if ((params.get('oauth_version') ?? '1.0') !== '1.0') throw invalid('Invalid OAuth version.');
  if (time.length !== 10) throw invalid('Invalid timestamp size');
  if (!/^\d+$/.test(time)) throw invalid('Timestamp must be an integer.');
  if (Math.abs(now / SECOND - Number(time)) > tolerance)
    throw invalid(`Timestamp given is invalid, differ from allowed by over ${tolerance} seconds.`);
  if (!isTokenId(key)) throw invalid('Invalid client key format.');
  if (!/^[a-f0-9]+$/.test(nonce)) throw invalid('Invalid nonce format.');
}

/** Whether a text looks like the id of a consumer or a token. */
export const isTokenId = (text: string): boolean => /^[a-f0-9]{32}$/.test(text);

/** The error for an invalid parameter, in the words of upstream's library. */
export const invalid = (detail: string, error = 'invalid_request'): Error =>
  badRequest(`Validation failed with errors: ${error}, detail message is: ${detail}.`);

/** Whether the signature was made with the secrets of the consumer and of the token, if any. */
export function hasSignature(
  request: SignedRequest,
  params: OAuthParams,
  consumerSecret: string,
  tokenSecret = '',
): boolean {
  const key = `${percentEncoded(consumerSecret)}&${percentEncoded(tokenSecret)}`;
  const hash = hashes.get(params.get('oauth_signature_method')!);
  const signature =
    hash === undefined
      ? key
      : createHmac(hash, key).update(baseText(request, params)).digest('base64');
  return sameSecret(signature, params.get('oauth_signature')!);
}

/** The text that is signed. */
function baseText({ method, url, query }: SignedRequest, params: OAuthParams): string {
  const signed = [...params].filter(([name]) => !['oauth_signature', 'realm'].includes(name));
  const pairs = [...signed, ...queryPairs(query)]
    .map(([name, value]) => [percentEncoded(name), percentEncoded(value)] as const)
    .toSorted(([name, value], [otherName, otherValue]) =>
      name === otherName ? compared(value, otherValue) : compared(name, otherName),
    );
  const text = pairs.map((pair) => pair.join('=')).join('&');
  return [method, baseUrl(url), text].map(percentEncoded).join('&');
}

const compared = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

const queryPairs = (query: string): [string, string][] => [...new URLSearchParams(query)];

/** A URL with its host in lower case, and without the usual port. */
function baseUrl(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}${url.slice(url.indexOf('/', url.indexOf('//') + 2))}`;
}
