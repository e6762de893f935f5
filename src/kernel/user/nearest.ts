// Finds the name that was meant by a misspelt one, for messages.

/** How many letters two names may differ in to be a slip of the keyboard. */
const maxDistance = 3;

/** A question about the known name that is closest to `name`, after a space; empty if none is. */
export function suggestion(name: string, known: readonly string[]): string {
  const [nearest] = known
    .map((one) => ({ one, distance: distanceBetween(name, one) }))
    .filter(({ distance }) => distance <= maxDistance)
    .toSorted((a, b) => a.distance - b.distance);
  return nearest ? ` Did you mean ${nearest.one}?` : '';
}

/** The number of letters to insert, delete or replace (Levenshtein's distance). */
function distanceBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let line = 0; line < one.length; line++) {
    const next = [line + 1];
    for (let at = 0; at < other.length; at++)
      next.push(
        Math.min(next[at]! + 1, row[at + 1]! + 1, row[at]! + (one[line] === other[at] ? 0 : 1)),
      );
    row = next;
  }
  return row.at(-1)!;
}
