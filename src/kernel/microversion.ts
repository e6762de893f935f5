// Microversions, as a list with their history and as a type: code that names an unknown version of
// a service does not compile.
import { badRequest, notAcceptable } from './errors.ts';
import { pythonRepr } from './oslo/python-repr.ts';

/** A version of a service, as negotiated for a request. */
export interface Version<V extends string = string> {
  readonly name: V;
  readonly index: number;
  /** Whether this is `version` or newer. */
  has(version: V): boolean;
  /** The fields if this is `version` or newer; otherwise no fields. */
  since<T extends object>(version: V, fields: T): T | Record<never, never>;
  /** The fields if this is older than `version`; otherwise no fields. */
  until<T extends object>(version: V, fields: T): T | Record<never, never>;
}

/** All versions of a service, oldest first, each with its entry in the history. */
export interface Versions<V extends string = string> {
  readonly service: string;
  readonly history: Readonly<Record<V, string>>;
  readonly list: readonly Version<V>[];
  readonly min: Version<V>;
  readonly max: Version<V>;
  /** The version with this name; undefined if the service has none. */
  find(name: string): Version<V> | undefined;
}

/** Declares the versions of a service, oldest first. */
export function versions<V extends string>(
  service: string,
  history: Record<V, string>,
): Versions<V> {
  const names = Object.keys(history) as V[];
  // Object keys such as '1' would be sorted as numbers; 'X.Y' keep their order.
  const places = new Map<string, number>(names.map((name, index) => [name, index]));
  const list = names.map((name, index) => versionOf(name, index, places));
  return {
    service,
    history,
    list,
    min: list[0]!,
    max: list.at(-1)!,
    find: (name) => list[places.get(name) ?? -1],
  };
}

function versionOf<V extends string>(
  name: V,
  index: number,
  places: ReadonlyMap<string, number>,
): Version<V> {
  const has = (version: V): boolean => index >= places.get(version)!;
  const none = {};
  return {
    name,
    index,
    has,
    since: (version, fields) => (has(version) ? fields : none),
    until: (version, fields) => (has(version) ? none : fields),
  };
}

/** The first and the last version in which something exists, both inclusive. */
export type Span<V extends string> = readonly [from: V] | readonly [from: V, to: V];

/** Whether the version is in the span. Without a span, all versions are. */
export function inSpan<V extends string>(
  version: Version<V>,
  span: Span<V> | undefined,
  all: Versions<V>,
): boolean {
  if (!span) return true;
  const to = span[1];
  return version.has(span[0]) && (to === undefined || version.index <= all.find(to)!.index);
}

/**
 * The version that the header requests: the last entry for the service wins, `latest` is the newest
 * version, and the default is the oldest. Upstream: microversion_parse.get_version and
 * extract_version, which read numbers as Python's int() does.
 * @throws 400 for a malformed version, 406 for an unknown one
 */
export function requestedVersion<V extends string>(
  header: string | undefined,
  all: Versions<V>,
  aliases: readonly string[] = [],
): Version<V> {
  const requested = versionEntry([all.service, ...aliases], header);
  if (requested === undefined) return all.min;
  if (requested === 'latest') return all.max;
  const name = normalName(requested);
  const found = all.find(name);
  if (!found)
    throw notAcceptable(`Unacceptable version header: ${requested}`, {
      reason: { kind: 'unsupported-microversion', requested },
    });
  return found;
}

/**
 * The entry of the header `OpenStack-API-Version` for one of the services. The last of several
 * entries wins.
 */
export function versionEntry(
  services: readonly string[],
  header: string | undefined,
): string | undefined {
  for (const entry of (header ?? '').split(',').toReversed()) {
    const [, service = '', value] = /^(\S+)\s+(.+)$/s.exec(entry.trim()) ?? [];
    if (services.includes(service.toLowerCase())) return value;
  }
  return undefined;
}

function normalName(text: string): string {
  const halves = /^([^.]*)\.(.*)$/s.exec(text)?.slice(1) ?? [text];
  const numbers = halves.map((half) =>
    /^\s*[+-]?\d+(_\d+)*\s*$/.test(half) ? Number(half.replaceAll('_', '')) : half,
  );
  const bad = numbers.find((part) => typeof part === 'string');
  if (bad !== undefined || numbers.length < 2) {
    const why =
      bad === undefined
        ? "Version.__new__() missing 1 required positional argument: 'minor'"
        : `invalid literal for int() with base 10: ${pythonRepr(bad)}`;
    throw badRequest(`invalid version string: ${text}; ${why}`, {
      reason: { kind: 'malformed-microversion', requested: text },
    });
  }
  return numbers.join('.');
}
