// Compares the output of a command with the output on a page, ignoring ids, times and numbers.

const wildcards: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/g, 'UUID'],
  [/\b[0-9a-f]{32}\b/g, 'UUID'],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|\+00:00)?/g, 'TIME'],
  [/-?\d+(?:\.\d+)?/g, 'N'],
  [/-{2,}/g, '--'],
  [/\s+/g, ' '],
];

const shapeOf = (line: string): string =>
  wildcards
    .reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), line)
    .trim();

/**
 * Returns the first line of `shown` that is missing in `actual`, or undefined. The lines must be in
 * the order of the page; other lines may come between them. A line of the page that ends with `...`
 * matches every line with the same beginning.
 */
export function missingLine(shown: string, actual: string): string | undefined {
  const lines = actual.split('\n').map(shapeOf);
  let from = 0;
  for (const line of shown.split('\n')) {
    const shape = shapeOf(line);
    if (shape === '' || shape === '...') continue;
    const matches = shape.endsWith('...')
      ? (one: string) => one.startsWith(shape.slice(0, -3).trimEnd())
      : (one: string) => one === shape;
    const found = lines.findIndex((one, at) => at >= from && matches(one));
    if (found < 0) return line;
    from = found + 1;
  }
  return undefined;
}
