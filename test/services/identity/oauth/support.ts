// Signs requests as a client of OAuth 1.0a does, without the code under test.
import { createHmac } from 'node:crypto';

/** The ids and secrets that a request is signed with. */
export interface OAuthKeys {
  readonly consumer: { readonly id: string; readonly secret: string };
  readonly token?: { readonly id: string; readonly secret: string };
  /** Further parameters, or others than usual. */
  readonly more?: Readonly<Record<string, string>>;
}

const escaped = (text: string): string =>
  encodeURIComponent(text)
    .replaceAll('!', '%21')
    .replaceAll("'", '%27')
    .replaceAll('(', '%28')
    .replaceAll(')', '%29')
    .replaceAll('*', '%2A');

/**
 * The header Authorization of a POST.
 * @param seconds the time of the client
 */
export function oauthHeader(
  url: string,
  { consumer, token, more = {} }: OAuthKeys,
  seconds: number,
): string {
  const params: Record<string, string> = {
    oauth_consumer_key: consumer.id,
    oauth_nonce: '1234567890',
    oauth_signature_method: 'HMAC-SHA1',
    oauth_timestamp: String(seconds),
    oauth_version: '1.0',
    ...(token ? { oauth_token: token.id } : {}),
    ...more,
  };
  const { origin, pathname, searchParams } = new URL(url);
  const pairs = [...Object.entries(params), ...searchParams]
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .sort();
  const text = ['POST', `${origin}${pathname}`, pairs.join('&')].map(escaped).join('&');
  const key = `${consumer.secret}&${token?.secret ?? ''}`;
  const method = params['oauth_signature_method']!;
  const signature = method.startsWith('HMAC-')
    ? createHmac(method.slice(5).toLowerCase(), key).update(text).digest('base64')
    : key;
  const all = { ...params, oauth_signature: signature };
  const fields = Object.entries(all).map(([name, value]) => `${name}="${escaped(value)}"`);
  return `OAuth realm="a, b", ${fields.join(', ')}`;
}
