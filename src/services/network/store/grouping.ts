// Groups records by a key.

/** The records of each key, in their order. */
export function grouped<V>(records: readonly V[], keyOf: (record: V) => string): Map<string, V[]> {
  return groupedValues(records, keyOf, (record) => record);
}

/** A value of each record, by key, in the order of the records. */
export function groupedValues<V, R>(
  records: readonly V[],
  keyOf: (record: V) => string,
  valueOf: (record: V) => R,
): Map<string, R[]> {
  const groups = new Map<string, R[]>();
  for (const record of records) {
    const key = keyOf(record);
    const group = groups.get(key);
    if (group) group.push(valueOf(record));
    else groups.set(key, [valueOf(record)]);
  }
  return groups;
}
