// Groups records by a key.

/** The records of each key, in their order. */
export function grouped<V, K>(records: readonly V[], keyOf: (record: V) => K): Map<K, V[]> {
  return groupedValues(records, keyOf, (record) => record);
}

/** A value of each record, by key, in the order of the records. */
export function groupedValues<V, K, R>(
  records: readonly V[],
  keyOf: (record: V) => K,
  valueOf: (record: V) => R,
): Map<K, R[]> {
  const groups = new Map<K, R[]>();
  for (const record of records) {
    const key = keyOf(record);
    const group = groups.get(key);
    if (group) group.push(valueOf(record));
    else groups.set(key, [valueOf(record)]);
  }
  return groups;
}

/** The first value that occurs a second time; undefined if all values differ. */
export function firstRepeated<V>(values: Iterable<V>): V | undefined {
  const seen = new Set<V>();
  for (const value of values) {
    if (seen.has(value)) return value;
    seen.add(value);
  }
  return undefined;
}
