// The secrets of a request, to be removed from texts that may quote them.
import type { IncomingRequest, Reply } from '../model.ts';
import { pythonRepr } from '../oslo/python-repr.ts';
import type { Json } from '../json.ts';
import { redactJson } from './json.ts';
import { capability, hidden, secretHeaders } from './names.ts';
import { redactPath, redactQuery, redactText } from './texts.ts';

/** The maximum length of a body that is searched for secrets. */
export const maxSearched = 256 * 1024;

/**
 * Shorter texts are not removed: they occur in every message. A header that is too short for a
 * token is a user name, such as `admin` with noauth2.
 */
const shortestSecret = 4;
const shortestToken = 20;

/** The secrets in the headers, the path, the query and the body of a request, longest first. */
export function secretsOf(request: IncomingRequest): readonly string[] {
  const { headers, path, query, body, raw } = request;
  const found: string[] = [];
  redactPath(path, found);
  redactQuery(query.text, found);
  redactJson(body ?? parsed(raw), found);
  const long = found.filter(({ length }) => length >= shortestSecret);
  const distinct = new Set([...tokensIn(headers), ...long]);
  return [...distinct].sort((one, other) => other.length - one.length);
}

const tokensIn = (headers: IncomingRequest['headers']): string[] =>
  secretHeaders
    .flatMap((name) => headers[name] ?? [])
    .filter((value) => value.length >= shortestToken);

/**
 * An error reply that does not quote the tokens of its request, or the id of a webhook. Messages
 * about the body leave its secrets out themselves, as far as they quote it.
 */
export function withoutTokensOf({ headers, path }: IncomingRequest, reply: Reply): Reply {
  const { body } = reply;
  const ids = (path.match(capability) ?? []).filter(({ length }) => length >= shortestSecret);
  const secrets = [...tokensIn(headers), ...ids];
  if (!secrets.length || body === undefined || Buffer.isBuffer(body)) return reply;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  if (!secrets.some((secret) => text.includes(secret))) return reply;
  return { ...reply, body: withoutSecretsIn(body as Json, secrets) };
}

/** A body as JSON; undefined if it is something else, or too long. */
export function parsed(raw: Buffer | undefined): unknown {
  if (!raw?.length || raw.length > maxSearched) return undefined;
  try {
    return JSON.parse(raw.toString()) as unknown;
  } catch {
    return undefined;
  }
}

/** The maximum number of characters that are compared with secrets in one text. */
const maxCompared = 50_000_000;

/**
 * A text without these secrets, whether they are plain or quoted as in Python's repr(), JSON or
 * HTML, and without any token. A long text with a great number of secrets is hidden.
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  if (text.length * secrets.length > maxCompared) return hidden;
  let shown = text;
  for (const secret of secrets)
    for (const form of formsOf(secret))
      if (shown.includes(form)) shown = shown.replaceAll(form, hidden);
  return redactText(shown);
}

/** A secret as texts quote it, longest first. */
const formsOf = (secret: string): string[] =>
  plain.test(secret)
    ? [secret]
    : [
        inHtml(secret),
        JSON.stringify(secret).slice(1, -1),
        pythonRepr(secret).slice(1, -1),
        encodeURIComponent(secret.replaceAll(/\p{Surrogate}/gu, '')),
        secret,
      ].sort((one, other) => other.length - one.length);

/** Texts that look the same in each form. */
const plain = /^[\w.-]*$/;

/** A JSON value without these secrets in its texts. */
export function withoutSecretsIn(value: Json, secrets: readonly string[]): Json {
  if (typeof value === 'string') return withoutSecrets(value, secrets);
  if (Array.isArray(value)) return value.map((one: Json) => withoutSecretsIn(one, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => [name, withoutSecretsIn(child, secrets)]),
  );
}

const inHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#x27;');
