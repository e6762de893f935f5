// Checks of attribute values, with upstream's error messages. Upstream: neutron_lib/api/validators.
import { isUuidLike } from '../../../../kernel/ids.ts';
import { pythonRepr } from '../../../../kernel/contract/jsonschema-messages.ts';
import { formatIp, isMac, parseCidr, parseIp, type Ip } from '../../ip.ts';

/** Returns what is wrong with a value, or undefined if it is valid. */
export type Check = (value: unknown) => string | undefined;

/** Formats a value for a message: strings are unchanged, other values as in Python's `repr`. */
export const quoted = (value: unknown): string =>
  typeof value === 'string' ? value : pythonRepr(value);

export const isText = (value: unknown): value is string => typeof value === 'string';

/** Text of at most `most` characters. */
export const text =
  (max: number): Check =>
  (value) => {
    if (!isText(value) || value.includes('\0')) return `'${quoted(value)}' is not a valid string`;
    return Array.from(value).length > max
      ? `'${value}' exceeds maximum length of ${max}`
      : undefined;
  };

export const orNull =
  (check: Check): Check =>
  (value) =>
    value === null ? undefined : check(value);

export const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value) ? undefined : `${quoted(value)} is not in ${pythonRepr(values)}`;

export const uuid: Check = (value) =>
  isText(value) && isUuidLike(value) ? undefined : `'${quoted(value)}' is not a valid UUID`;

export const uuidList: Check = (value) => {
  if (!Array.isArray(value)) return `'${quoted(value)}' is not a list`;
  const problem = (value as unknown[]).map(uuid).find(Boolean);
  return problem ?? duplicates(value as unknown[]);
};

function duplicates(values: readonly unknown[]): string | undefined {
  return new Set(values).size === values.length
    ? undefined
    : `Duplicate items in the list: '${values.map(quoted).join(', ')}'`;
}

export const textList =
  (max: number): Check =>
  (value) => {
    if (!Array.isArray(value)) return `'${quoted(value)}' is not a list`;
    const problem = (value as unknown[]).map(text(max)).find(Boolean);
    return problem ?? duplicates(value as unknown[]);
  };

export const mac: Check = (value) =>
  isMac(value) ? undefined : `'${quoted(value)}' is not a valid MAC address`;

export const ipAddress: Check = (value) => {
  if (parseIp(value)) return undefined;
  const plain = isText(value) ? withoutZeros(value) : undefined;
  return plain
    ? `'${quoted(value)}' is not an accepted IP address, '${formatIp(plain)}' is recommended`
    : `'${quoted(value)}' is not a valid IP address`;
};

const withoutZeros = (value: string): Ip | undefined =>
  parseIp(value.replace(/(^|\.)0+(?=\d)/g, '$1'));

export const cidr: Check = (value) => {
  const read = parseCidr(value);
  return read ? undefined : `'${quoted(value)}' is not a valid IP subnet`;
};

const routeCidr: Check = (value) => {
  const read = parseCidr(value);
  return read?.ip.value === read?.first && read
    ? undefined
    : `'${quoted(value)}' is not a valid CIDR`;
};

export const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const map: Check = (value) =>
  isMap(value) ? undefined : `'${quoted(value)}' is not a dictionary`;

/** An object with none but these keys, whose values pass the checks. */
export const mapOf =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value) => {
    if (!isMap(value)) return map(value);
    const unexpected = Object.keys(value).filter((key) => !Object.hasOwn(checks, key));
    if (unexpected.length) return `Unexpected keys supplied: ${unexpected.join(', ')}`;
    return Object.entries(checks)
      .filter(([key]) => Object.hasOwn(value, key))
      .map(([key, check]) => check(value[key]))
      .find(Boolean);
  };

const keySet = (keys: readonly string[]): string =>
  `{${keys.map((key) => pythonRepr(key)).join(', ')}}`;

const wrongKeys = (expected: readonly string[], value: object): string =>
  `Validation of dictionary's keys failed. Expected keys: ${keySet(expected)} ` +
  `Provided keys: ${keySet(Object.keys(value))}`;

/** An object with exactly these keys. */
function exactKeys(value: unknown, ...expected: readonly string[]): string | undefined {
  if (!isMap(value)) {
    const what = `'${quoted(value)}' must be a dictionary with keys`;
    return `Invalid input. ${what}: ${pythonRepr(expected)}`;
  }
  const given = Object.keys(value);
  return given.length === expected.length && expected.every((key) => given.includes(key))
    ? undefined
    : wrongKeys(expected, value);
}

/** A list of distinct items that all pass the check. */
function items(value: unknown, what: string, check: Check): string | undefined {
  if (!Array.isArray(value)) return `Invalid data format for ${what}: '${quoted(value)}'`;
  const seen = new Set<string>();
  for (const item of value as unknown[]) {
    const problem = check(item);
    if (problem !== undefined) return problem;
    const key = JSON.stringify(item);
    if (seen.has(key)) return `Duplicate ${what} '${quoted(item)}'`;
    seen.add(key);
  }
  return undefined;
}

export const pools: Check = (value) =>
  Array.isArray(value)
    ? (value as unknown[])
        .map((pool) => {
          const keys = exactKeys(pool, 'start', 'end');
          return (
            keys ??
            ipAddress((pool as Record<string, unknown>)['start']) ??
            ipAddress((pool as Record<string, unknown>)['end'])
          );
        })
        .find(Boolean)
    : `Invalid data format for IP pool: '${quoted(value)}'`;

export const nameservers: Check = (value) =>
  items(value, 'nameserver', (item) => {
    const problem = ipAddress(item);
    return problem === undefined
      ? undefined
      : `'${quoted(item)}' is not a valid nameserver. ${problem}`;
  });

export const hostRoutes: Check = (value) =>
  items(value, 'hostroute', (item) => {
    const keys = exactKeys(item, 'destination', 'nexthop');
    return (
      keys ??
      routeCidr((item as Record<string, unknown>)['destination']) ??
      ipAddress((item as Record<string, unknown>)['nexthop'])
    );
  });

/** `fixed_ips`: the addresses that a port requests. */
export const fixedIps: Check = (value) => {
  if (!Array.isArray(value)) return `Invalid data format for fixed IP: '${quoted(value)}'`;
  const seen = new Set<unknown>();
  for (const item of value as unknown[]) {
    if (!isMap(item)) return `Invalid data format for fixed IP: '${quoted(item)}'`;
    const { ip_address: address, subnet_id: subnet } = item;
    if ('ip_address' in item) {
      if (seen.has(address)) return `Duplicate IP address '${quoted(address)}'`;
      seen.add(address);
      const problem = ipAddress(address);
      if (problem !== undefined) return problem;
    }
    const problem = 'subnet_id' in item ? uuid(subnet) : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
};

/**
 * An object whose keys are all among these and whose values pass the checks. `!` before a name
 * marks a required key.
 */
export const fieldsOf =
  (known: Readonly<Record<string, Check>>): Check =>
  (value) => {
    const problem = map(value);
    if (problem !== undefined) return problem;
    const given = value as Record<string, unknown>;
    const names = Object.entries(known).map(([name, check]) => ({
      name: name.replace('!', ''),
      must: name.startsWith('!'),
      check,
    }));
    const missing = names
      .filter(({ name, must }) => must && !(name in given))
      .map(({ name }) => name);
    if (missing.length) return wrongKeys(missing, given);
    const extra = Object.keys(given).filter((key) => !names.some(({ name }) => name === key));
    if (extra.length) return `Unexpected keys supplied: ${extra.join(', ')}`;
    return names
      .flatMap(({ name, check }) => (name in given ? [check(given[name])] : []))
      .find(Boolean);
  };

/** An integer between two bounds, both included. */
export const range =
  (min: number, max: number): Check =>
  (value) => {
    if (typeof value !== 'number' || !Number.isInteger(value))
      return `'${quoted(value)}' is not an integer`;
    if (value < min) return `'${value}' is too small - must be at least '${min}'`;
    return value > max ? `'${value}' is too large - must be no larger than '${max}'` : undefined;
  };
