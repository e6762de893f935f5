// The kinds of columns that only Network has: addresses, and lists of them.
import { integer, jsonListOf, textOf, textWhere, type Column } from '../../../kernel/db/columns.ts';
import { isMac, parseCidr, parseIp, type Pool } from '../ip.ts';
import type { AddressPair, DhcpOption, HostRoute } from '../model.ts';

const isIp = (value: unknown): boolean => parseIp(value) !== undefined;
const isCidr = (value: unknown): boolean => parseCidr(value) !== undefined;

export const address: Column<string> = textWhere(isIp, 'an IP address');
export const cidr: Column<string> = textWhere(isCidr, 'a CIDR');
/** The CIDR of a row that also has the version of IP. */
export const versionedCidr: Column<string> = textWhere(
  (text, row) => parseCidr(text)?.ip.version === row['ip_version'],
  'a CIDR of the version in ip_version',
);
export const mac: Column<string> = textWhere(isMac, 'a MAC address');
export const direction: Column<string> = textOf(['ingress', 'egress']);
export const ethertype: Column<string> = textOf(['IPv4', 'IPv6']);

/** True in one row at most: false is stored as NULL, of which a unique key allows several. */
export const trueOnce: Column<boolean> = {
  read: (stored) => stored !== null,
  write: (value) => (value ? 1 : null),
  mismatch: (stored) => (stored === null || stored === 1 ? undefined : '1 or NULL'),
};

/** Null is stored as an empty text, which is not null for unique keys. */
export const textOrEmpty: Column<string | null> = {
  read: (stored) => (stored === '' ? null : (stored as string)),
  write: (value) => value ?? '',
  mismatch: (stored) => (typeof stored === 'string' ? undefined : 'a text'),
};

export const ipVersion: Column<number> = {
  ...integer,
  mismatch: (stored) => (stored === 4 || stored === 6 ? undefined : '4 or 6'),
};

/** Whether a value is an object whose members are valid, each by its own check. */
const hasMembers =
  (checks: Readonly<Record<string, (value: unknown) => boolean>>) =>
  (value: unknown): boolean =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(checks).every(([name, isValid]) =>
      isValid((value as Record<string, unknown>)[name]),
    );

export const cidrs: Column<readonly string[]> = jsonListOf(isCidr, 'CIDRs');
export const pools: Column<readonly Pool[]> = jsonListOf(
  hasMembers({ start: isIp, end: isIp }),
  'objects with the addresses start and end',
);
export const routes: Column<readonly HostRoute[]> = jsonListOf(
  hasMembers({ destination: isCidr, nexthop: isIp }),
  'objects with the CIDR destination and the address nexthop',
);
export const addressPairs: Column<readonly AddressPair[]> = jsonListOf(
  hasMembers({ ip_address: (value) => parseCidr(value, true) !== undefined, mac_address: isMac }),
  'objects with ip_address and mac_address',
);
export const dhcpOptions: Column<readonly DhcpOption[]> = jsonListOf(
  hasMembers({
    opt_name: (value) => typeof value === 'string',
    ip_version: (value) => ['4', '6'].includes(String(value)),
  }),
  'objects with opt_name, opt_value and ip_version',
);
