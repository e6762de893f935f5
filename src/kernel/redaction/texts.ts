// Removes secrets from texts: tokens, private keys, and the passwords in URLs, queries and paths.
// Each function adds the secrets that it removes to `found`, if that is given.
import { decodeQueryText } from '../query.ts';
import { hidden, isSecretParameter, secretSegment } from './names.ts';

/** Fernet tokens and JSON Web Tokens, which are recognized anywhere. */
const tokens = /\b(?:gAAAA|eyJ)[\w.=-]{40,}/g;

/** Texts without any of these contain no secret that can be recognized. */
const mayContainSecret = /gAAAA|eyJ|:\/\/|PRIVATE KEY/;

/** A text without tokens and the passwords of URLs. A text with a private key is hidden. */
export function redactText(text: string, found?: string[]): string {
  if (!mayContainSecret.test(text)) return text;
  if (/-----BEGIN [\w ]{0,40}PRIVATE KEY/.test(text)) {
    found?.push(text);
    return hidden;
  }
  const words = text.includes('://')
    ? text
        .split(/(\s+)/)
        .map((word) => (word.includes('://') ? redactUrl(word, found) : word))
        .join('')
    : text;
  return words.replaceAll(tokens, (token) => {
    found?.push(token);
    return hidden;
  });
}

/**
 * A URL without its password, and without the secrets in its query. The URL may be malformed: the
 * password ends at the last `@`, unless a port precedes it.
 */
export function redactUrl(url: string, found?: string[]): string {
  const mark = url.indexOf('?');
  const end = url.lastIndexOf('@');
  if (end < 0) return withRedactedQuery(url, mark, found);
  const [, scheme = '', user = ''] = /^([\w+.-]+:\/+)?([^:]*)/.exec(url.slice(0, end)) ?? [];
  const start = scheme.length + user.length;
  if (start >= end || (scheme !== '' && /^:\d{1,5}[/?#]/.test(url.slice(start, end))))
    return withRedactedQuery(url, mark, found);
  found?.push(url.slice(start + 1, end));
  const rest = url.slice(end);
  return `${scheme}${user}:${hidden}${withRedactedQuery(rest, rest.indexOf('?'), found)}`;
}

const withRedactedQuery = (url: string, mark: number, found?: string[]): string =>
  mark < 0 ? url : url.slice(0, mark + 1) + redactQuery(url.slice(mark + 1), found);

/** A query string without the values of secret parameters. */
export function redactQuery(query: string, found?: string[]): string {
  if (query === '') return query;
  return query
    .split(/([&;])/)
    .map((pair) => redactPair(pair, found))
    .join('');
}

function redactPair(pair: string, found?: string[]): string {
  const cut = pair.indexOf('=');
  const value = decodeQueryText(pair.slice(cut + 1));
  const isSecret = cut >= 0 && isSecretParameter(decodeQueryText(pair.slice(0, cut)));
  if (isSecret && value !== '') {
    found?.push(value, pair.slice(cut + 1));
    return `${pair.slice(0, cut)}=${hidden}`;
  }
  const shown = redactValue(value, found);
  return shown === value ? pair : pair.slice(0, cut + 1) + shown;
}

/** A value that may be a query itself, as the `path=?token=...` of a noVNC console. */
const redactValue = (value: string, found?: string[]): string =>
  value.startsWith('?') ? `?${redactQuery(value.slice(1), found)}` : redactText(value, found);

/** A parameter of a query, decoded, without secrets. A value may contain further parameters. */
export function redactParameter(name: string, value: string): string {
  if (isSecretParameter(name)) return value === '' ? value : hidden;
  return value.includes(';') ? redactQuery(value) : redactValue(value);
}

/** A path without tokens, and without the segments that follow certain names. */
export function redactPath(path: string, found?: string[]): string {
  const shown = path.replaceAll(secretSegment, (secret) => {
    found?.push(secret);
    return hidden;
  });
  return redactText(shown, found);
}
