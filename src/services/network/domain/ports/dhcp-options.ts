// Validates the DHCP options of ports and merges updates of them. Upstream:
// neutron/db/extradhcpopt_db.py.
import type { Check } from '../attributes/checks.ts';
import { isText, map, quoted } from '../attributes/checks.ts';
import type { DhcpOption } from '../../model.ts';

/** An option in a body. A null value deletes it. */
interface RequestedOption {
  readonly opt_name: string;
  readonly opt_value: string | null;
  readonly ip_version?: number | string;
}

/** Options that may be empty. */
const blankable = ['router', 'classless-static-route'];

const isLine = (value: unknown, max: number): boolean =>
  isText(value) && value.trim() !== '' && value.length <= max && !/[\n\r]/.test(value);

function fits(item: Readonly<Record<string, unknown>>): boolean {
  const { opt_name: name, opt_value: value, ip_version: version = 4, ...rest } = item;
  if (Object.keys(rest).length || !('opt_value' in item) || !['4', '6'].includes(String(version)))
    return false;
  if (!isLine(name, 64)) return false;
  if (value === null) return true;
  return blankable.includes(name as string)
    ? isText(value) && value.length <= 255
    : isLine(value, 255);
}

/** Returns what is wrong with a list of options; null means an empty list. */
export const dhcpOptions: Check = (value) => {
  if (value === null) return undefined;
  if (!Array.isArray(value)) return `'${quoted(value)}' is not a list`;
  const problem = (value as unknown[]).find(
    (item) => map(item) !== undefined || !fits(item as Record<string, unknown>),
  );
  return problem === undefined ? undefined : `No valid key specs in '${quoted(problem)}'`;
};

const isKept = ({ opt_name: name, opt_value: value }: RequestedOption): boolean =>
  blankable.includes(name) ? value !== null : Boolean(value);

const optionOf = ({ opt_name, opt_value, ip_version = 4 }: RequestedOption): DhcpOption => ({
  opt_name,
  opt_value: opt_value!,
  ip_version: Number(ip_version),
});

const keyOf = ({ opt_name: name, ip_version: version = 4 }: RequestedOption): string =>
  `${Number(version)} ${name}`;

/** Merges an update: the options that it names are set or deleted, all others stay. */
export function changedOptions(
  options: readonly DhcpOption[],
  requested: unknown,
): readonly DhcpOption[] {
  const changed = new Map(options.map((option) => [keyOf(option), option]));
  for (const one of (requested ?? []) as RequestedOption[]) {
    if (one.opt_value === null) changed.delete(keyOf(one));
    else if (isKept(one)) changed.set(keyOf(one), optionOf(one));
  }
  return [...changed.values()];
}
