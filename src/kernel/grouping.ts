// Groups records by a key, as Map.groupBy of newer versions of Node does.

/** The records with each key, in their order. */
export function groupBy<K, T>(records: Iterable<T>, keyOf: (record: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const record of records) {
    const group = groups.get(keyOf(record));
    if (group) group.push(record);
    else groups.set(keyOf(record), [record]);
  }
  return groups;
}
