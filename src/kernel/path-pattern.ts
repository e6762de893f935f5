// Path patterns of access rules, fault rules and journal filters: `*` and `{tag}` match within one
// segment, `**` matches any number of segments.

/** Elements of a compiled pattern. Every other element is a single character. */
const withinSegment = Symbol('within a segment');
const anything = Symbol('anything');

/**
 * Whether the pattern matches the whole path. It simulates all ways to match at the same time (as
 * an NFA does), so that the time is at most the product of the two lengths. A backtracking regular
 * expression would multiply it by the length of the path for each `**`.
 */
export function pathMatches(path: string, pattern: string): boolean {
  const elements = elementsOf(pattern);
  let reached = new Set([0]);
  for (const char of path.split('')) {
    const next = new Set<number>();
    for (const at of withSkips(elements, reached)) {
      const element = elements[at];
      if (element === anything) next.add(at);
      else if (element === withinSegment ? char !== '/' : element === char) next.add(at + 1);
      if (element === withinSegment && char !== '/') next.add(at);
    }
    if (!next.size) return false;
    reached = next;
  }
  return withSkips(elements, reached).has(elements.length);
}

/**
 * Adds the positions that are reached by letting `**` match nothing. Iterating over a set also
 * visits the elements that the loop adds.
 */
function withSkips(elements: readonly (string | symbol)[], positions: Set<number>): Set<number> {
  for (const at of positions) if (elements[at] === anything) positions.add(at + 1);
  return positions;
}

/** Compiles a pattern. A `{` without a later `}` is a plain character. */
function elementsOf(pattern: string): (string | symbol)[] {
  const elements: (string | symbol)[] = [];
  const lastBrace = pattern.lastIndexOf('}');
  for (let at = 0; at < pattern.length; at++) {
    if (pattern.startsWith('**', at)) {
      elements.push(anything);
      at++;
    } else if (pattern[at] === '*') {
      elements.push(withinSegment);
    } else if (pattern[at] === '{' && lastBrace > at) {
      elements.push(withinSegment);
      at = pattern.indexOf('}', at);
    } else {
      elements.push(pattern[at]!);
    }
  }
  return elements;
}
