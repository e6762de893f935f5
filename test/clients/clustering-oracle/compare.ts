// Compares replies of two clouds after replacing ids, times, addresses and random names.

export interface Seen {
  readonly step: string;
  readonly what: unknown;
}

const patterns: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>'],
  [/\b[0-9a-f]{32}\b/g, '<hex>'],
  [/node-[0-9A-Za-z]{8}\b/g, '<node name>'],
  [/\b[0-9a-f]{8}\b/g, '<id8>'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/g, '<time>'],
  [/<time>\.\d{6}/g, '<time>.<micros>'],
  [/\b10\.\d+\.\d+\.\d+\b/g, '<ip>'],
  [/(?:[0-9a-f]{2}:){5}[0-9a-f]{2}/g, '<mac>'],
  [/http:\/\/127\.0\.0\.1:\d+(?:\/clustering)?/g, '<origin>'],
];

/**
 * Replaces the parts of a value that differ between clouds.
 * @param names the names that the scenario gives to ids, which become `<name>`
 */
export function plain(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return plainText(value, names);
  if (typeof value === 'number') return value > 1e9 ? '<epoch>' : value;
  if (Array.isArray(value)) return value.map((item) => plain(item, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]: [string, unknown]) => {
      const found = plain(item, names);
      // The ids of nodes have no order.
      const isIds =
        key === 'nodes' && Array.isArray(found) && found.every((one) => typeof one === 'string');
      return [plainText(key, names), isIds ? found.toSorted() : found];
    }),
  );
}

function plainText(text: string, names: ReadonlyMap<string, string>): string {
  let found = text;
  for (const [name, id] of names) {
    if (!/^[0-9a-f-]{36}$/.test(id)) continue;
    found = found.replaceAll(id, `<${name}>`).replaceAll(id.slice(0, 8), `<${name}8>`);
  }
  for (const [pattern, word] of patterns) found = found.replace(pattern, word);
  return found;
}

const short = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));
const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Lists differences such as `body.cluster.status: "ACTIVE" -> "WARNING"`, with the real value
 * before the emulator's.
 */
export function differences(real: unknown, ours: unknown, path = ''): string[] {
  if (isMap(real) && isMap(ours)) {
    const keys = [...new Set([...Object.keys(real), ...Object.keys(ours)])].toSorted();
    return keys.flatMap((key) => differences(real[key], ours[key], path ? `${path}.${key}` : key));
  }
  if (Array.isArray(real) && Array.isArray(ours) && real.length === ours.length)
    return real.flatMap((item: unknown, index) =>
      differences(item, ours[index], `${path}.${index}`),
    );
  return short(real) === short(ours) ? [] : [`${path}: ${short(real)} -> ${short(ours)}`];
}
