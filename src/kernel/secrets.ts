// Secrets that are compared, and secrets that are kept out of messages.
import { createHash, timingSafeEqual } from 'node:crypto';
import { pythonRepr } from './python/repr.ts';

/** Whether two secrets are equal. How long it takes says nothing about where they differ. */
export function sameSecret(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(first!, second!);
}

/** A URL as messages show it, which may be wrong in any way: without the password. */
export function withoutPassword(url: string): string {
  const shown = url.replace(/([?&]password=)[^&]*/gi, '$1***');
  const end = shown.lastIndexOf('@');
  if (end < 0) return shown;
  const [, scheme = '', user = ''] = /^(\w+:\/+)?([^:]*)/.exec(shown.slice(0, end)) ?? [];
  return `${scheme}${user}${scheme.length + user.length < end ? ':***' : ''}${shown.slice(end)}`;
}

/** Names of what is nobody's business but the client's: passwords, tokens, keys and signatures. */
const secretName = /pass|secret|token|credential|signature|private|blob|user_data/i;

/** A query string as the log shows it: without the values of parameters that have such a name. */
export function withoutSecretValues(query: string): string {
  const shown = (pair: string): string => {
    const [name = '', ...value] = pair.split('=');
    return value.length && secretName.test(name) ? `${name}=***` : pair;
  };
  return query.split('&').map(shown).join('&');
}

/** The texts and numbers of a body that have such a name, and the ids of tokens; of a body that is nested deeply the upper part. */
export function secretsIn(body: unknown, secret = false, deeper = 20): readonly string[] {
  if (typeof body === 'string' || typeof body === 'number') return secret && body !== '' ? [String(body)] : [];
  if (typeof body !== 'object' || body === null || deeper === 0) return [];
  if (Array.isArray(body)) return body.flatMap((one) => secretsIn(one, secret, deeper - 1));
  return Object.entries(body).flatMap(([name, value]) => {
    const isText = typeof value !== 'object' || Array.isArray(value);
    return secretsIn(value, (isText && secretName.test(name)) || name === 'token' || (secret && name === 'id'), deeper - 1);
  });
}

/** A text without these secrets, as they are and as Python's repr() quotes them. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const quoted = secrets.map((secret) => pythonRepr(secret).slice(1, -1));
  const longestFirst = [...secrets, ...quoted].sort((one, other) => other.length - one.length);
  return longestFirst.reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
}
