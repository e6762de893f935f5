// Groups rows by the resource that they belong to.

/** A value of each row, by key, in the order of the rows. */
export function grouped<V, R>(
  rows: readonly V[],
  keyOf: (row: V) => string,
  valueOf: (row: V) => R,
): Map<string, R[]> {
  const groups = new Map<string, R[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(valueOf(row));
    else groups.set(keyOf(row), [valueOf(row)]);
  }
  return groups;
}
