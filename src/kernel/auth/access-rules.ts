// The access rules of application credentials: which requests a token may be used for.
// Upstream: keystonemiddleware/auth_token/__init__.py, validate_allowed_request.

/** One access rule: it allows requests with this service, method and path. */
export interface AccessRule {
  /** The type of the service, as in the catalog. */
  readonly service: string;
  readonly method: string;
  /** A path with `{tag}` or `*` for one segment, and `**` for any number of them. */
  readonly path: string;
}

/** A request, as access rules compare it. */
export interface Asked {
  readonly service: string | undefined;
  readonly method: string;
  /**
   * The path with and without the service's mount prefix. Which one upstream compares depends on
   * how the service is deployed.
   */
  readonly paths: readonly string[];
}

/** Whether one of the rules allows the request. A token can always be validated. */
export function allowedBy(
  rules: readonly AccessRule[],
  { service, method, paths }: Asked,
): boolean {
  const validates =
    service === 'identity' &&
    method === 'GET' &&
    paths.some((path) => path.endsWith('/v3/auth/tokens'));
  if (validates) return true;
  return rules.some(
    (rule) =>
      rule.method === method &&
      rule.service === service &&
      paths.some((path) => pathMatches(path, rule.path)),
  );
}

/**
 * What stands in a pattern for one segment, or a part of one, and for anything. Every other element
 * is one character.
 */
const segment = Symbol('segment');
const anything = Symbol('anything');

/**
 * Whether the pattern matches the path. It follows all ways to match at once, so that the work is
 * the product of the two lengths; as a regular expression, each `**` would multiply it by the
 * length of the path.
 */
export function pathMatches(path: string, pattern: string): boolean {
  const elements = elementsOf(pattern);
  let reached = new Set([0]);
  for (const char of path.split('')) {
    const next = new Set<number>();
    for (const at of past(elements, reached)) {
      const element = elements[at];
      if (element === anything) next.add(at);
      else if (element === segment ? char !== '/' : element === char) next.add(at + 1);
      if (element === segment && char !== '/') next.add(at);
    }
    if (!next.size) return false;
    reached = next;
  }
  return past(elements, reached).has(elements.length);
}

/**
 * The places, and those behind them that `**` leads to without a character. A set yields what is
 * added to it meanwhile.
 */
function past(elements: readonly (string | symbol)[], places: Set<number>): Set<number> {
  for (const at of places) if (elements[at] === anything) places.add(at + 1);
  return places;
}

function elementsOf(pattern: string): (string | symbol)[] {
  const elements: (string | symbol)[] = [];
  const lastBrace = pattern.lastIndexOf('}');
  for (let at = 0; at < pattern.length; at++) {
    if (pattern.startsWith('**', at)) {
      elements.push(anything);
      at++;
    } else if (pattern[at] === '*') {
      elements.push(segment);
    } else if (pattern[at] === '{' && lastBrace > at) {
      elements.push(segment);
      at = pattern.indexOf('}', at);
    } else {
      elements.push(pattern[at]!);
    }
  }
  return elements;
}
