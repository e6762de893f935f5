// Conversions that run before an attribute value is checked. Upstream:
// neutron_lib/api/converters.py.
import { boolFromString } from '../../../../kernel/oslo/booleans.ts';
import { formatCidr, formatIp, isMac, normalMac, parseCidr, parseIp } from '../../ip.ts';
import { isMap, quoted } from './checks.ts';
import { invalidInput } from '../refusals.ts';

/** Reads a boolean, or one of the words and numbers for it. @throws 400 */
export function toBoolean(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  const found =
    typeof value === 'string' || typeof value === 'number'
      ? boolFromString(String(value))
      : undefined;
  if (found !== undefined) return found;
  throw invalidInput(`'${quoted(value)}' cannot be converted to boolean`);
}

/** Reads an integer, which may be a string. @throws 400 */
export function toInteger(value: unknown): number {
  const number =
    typeof value === 'number'
      ? Math.trunc(value)
      : typeof value === 'string' && /^\s*[+-]?\d+\s*$/.test(value)
        ? Number(value)
        : NaN;
  if (Number.isSafeInteger(number)) return number;
  throw invalidInput(`'${quoted(value)}' is not an integer`);
}

export const toIntegerOrNull = (value: unknown): number | null =>
  value === null ? null : toInteger(value);

export const nullToEmptyList = (value: unknown): unknown => value ?? [];

export const nullToEmptyMap = (value: unknown): unknown => value ?? {};

export const emptyMapToNull = (value: unknown): unknown =>
  isMap(value) && !Object.keys(value).length ? null : value;

export const nullToEmptyText = (value: unknown): unknown => value ?? '';

/** Shortens an IPv6 address. Any other value is returned unchanged, for the check to reject. */
export function toCanonicalIp(value: unknown): unknown {
  const ip = parseIp(value);
  return ip?.version === 6 ? formatIp(ip) : value;
}

export function toCanonicalCidr(value: unknown): unknown {
  const read = parseCidr(value, true);
  if (!read || !String(value).includes('/')) {
    if (value === null) throw invalidInput('None is not in a CIDR format');
    if (!read) throw invalidInput(`${quoted(value)} is not in a CIDR format`);
    return value;
  }
  return formatCidr(read);
}

export function toCanonicalPools(value: unknown): unknown {
  if (value === null) return [];
  const isPools =
    Array.isArray(value) &&
    value.every((pool) => typeof pool === 'object' && pool !== null && !Array.isArray(pool));
  if (!isPools) throw invalidInput('Invalid data format for allocation pools');
  return (value as Record<string, unknown>[]).map((pool) =>
    Object.fromEntries(Object.entries(pool).map(([key, ip]) => [key, toCanonicalIp(ip)])),
  );
}

export const toCanonicalMac = (value: unknown): unknown =>
  isMac(value) ? normalMac(value as string) : value;
