// Comparing secrets, and keeping secrets out of messages, the log and the journal.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Json } from './json.ts';
import { pythonRepr } from './oslo/python-repr.ts';

/** Whether two secrets are equal, in constant time. */
export function sameSecret(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(first!, second!);
}

/** A URL for messages, without its password. The URL may be malformed. */
export function withoutPassword(url: string): string {
  const shown = url.replace(/([?&]password=)[^&]*/gi, '$1***');
  const end = shown.lastIndexOf('@');
  if (end < 0) return shown;
  const [, scheme = '', user = ''] = /^(\w+:\/+)?([^:]*)/.exec(shown.slice(0, end)) ?? [];
  return `${scheme}${user}${scheme.length + user.length < end ? ':***' : ''}${shown.slice(end)}`;
}

/**
 * Names of fields that are secret: passwords, passcodes, tokens, keys, signatures, and data for
 * servers. The log and the journal leave their values out. (PCI passthrough is not secret.)
 */
const secretName =
  /pass(?!through)|secret|token|credential|signature|private|blob|user_data|authorization|^contents$/i;

/** Headers with secret values. */
const secretHeaders = [
  'x-auth-token',
  'x-subject-token',
  'x-service-token',
  'authorization',
  'openstack-auth-receipt',
];

/**
 * The secrets in the headers of a request. A value that is too short for a token is a user name,
 * such as `admin` with noauth.
 */
export const secretsInHeaders = (headers: IncomingHttpHeaders): readonly string[] =>
  secretHeaders
    .flatMap((name) => headers[name] ?? [])
    .filter((value) => value.length >= shortestToken);

const shortestToken = 20;

/** Replaces a secret. */
const hidden = '***';

/**
 * Fernet tokens and JSON Web Tokens, which are recognized anywhere: old APIs have tokens in paths.
 */
const tokens = /\b(?:gAAAA|eyJ)[\w.=-]{40,}/g;

/** A text without anything that looks like a token. */
export const withoutTokens = (text: string): string => text.replaceAll(tokens, hidden);

/**
 * A JSON value without secrets: without properties that have a secret name, and without values next
 * to such a name, as in `{"op": "add", "path": "/password", "value": ...}`. Levels below the
 * twentieth are left out.
 */
export function withoutSecretFields(value: unknown, secret = false, deeper = 20): Json {
  if (typeof value === 'string') return secret && value !== '' ? hidden : withoutTokens(value);
  if (typeof value === 'number' || typeof value === 'bigint')
    return secret ? hidden : Number(value);
  if (typeof value !== 'object' || value === null) return (value ?? null) as Json;
  if (deeper === 0) return '…';
  if (Array.isArray(value)) return value.map((one) => withoutSecretFields(one, secret, deeper - 1));
  const named = ['path', 'key', 'name'].some((name) =>
    isSecretName((value as Record<string, unknown>)[name]),
  );
  return Object.fromEntries(
    Object.entries(value).map(([name, child]: [string, unknown]) => {
      const isText = typeof child !== 'object' || Array.isArray(child);
      const hides =
        (isText && isSecretName(name)) ||
        (named && name === 'value') ||
        name === 'token' ||
        (secret && name === 'id');
      return [name, withoutSecretFields(child, hides, deeper - 1)];
    }),
  );
}

const isSecretName = (name: unknown): boolean => typeof name === 'string' && secretName.test(name);

/** A query string for the log, without the values of parameters with secret names. */
export function withoutSecretValues(query: string): string {
  const shown = (pair: string): string => {
    const [name = '', ...value] = pair.split('=');
    return value.length && secretName.test(decoded(name)) ? `${name}=${hidden}` : pair;
  };
  return query.split('&').map(shown).join('&');
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/**
 * The texts and numbers with a secret name in a body, and the ids of tokens, down to the twentieth
 * level.
 */
export function secretsIn(body: unknown, secret = false, deeper = 20): readonly string[] {
  if (typeof body === 'string' || typeof body === 'number')
    return secret && body !== '' ? [String(body)] : [];
  if (typeof body !== 'object' || body === null || deeper === 0) return [];
  if (Array.isArray(body)) return body.flatMap((one) => secretsIn(one, secret, deeper - 1));
  return Object.entries(body).flatMap(([name, value]) => {
    const isText = typeof value !== 'object' || Array.isArray(value);
    return secretsIn(
      value,
      (isText && secretName.test(name)) || name === 'token' || (secret && name === 'id'),
      deeper - 1,
    );
  });
}

/**
 * A text without these secrets, whether they are plain or quoted as in Python's repr(), JSON or
 * HTML.
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const quoted = secrets.flatMap((secret) => [
    pythonRepr(secret).slice(1, -1),
    JSON.stringify(secret).slice(1, -1),
    inHtml(secret),
  ]);
  const longestFirst = [...secrets, ...quoted].sort((one, other) => other.length - one.length);
  return longestFirst.reduce((shown, secret) => shown.replaceAll(secret, hidden), text);
}

const inHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#x27;');
