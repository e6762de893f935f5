// DHCP options of ports: which there may be, and what a change makes of those that are there. Upstream: neutron/db/extradhcpopt_db.py.
import type { Check } from '../attributes/checks.ts';
import { isText, map, said } from '../attributes/checks.ts';
import type { DhcpOption } from '../records.ts';

/** An option as a body has it; null takes it away. */
interface Asked {
  readonly opt_name: string;
  readonly opt_value: string | null;
  readonly ip_version?: number | string;
}

/** Options that may be empty. */
const blankable = ['router', 'classless-static-route'];

const isLine = (value: unknown, most: number): boolean =>
  isText(value) && value.trim() !== '' && value.length <= most && !/[\n\r]/.test(value);

function fits(item: Readonly<Record<string, unknown>>): boolean {
  const { opt_name: name, opt_value: value, ip_version: version = 4, ...rest } = item;
  if (Object.keys(rest).length || !('opt_value' in item) || !['4', '6'].includes(String(version))) return false;
  if (!isLine(name, 64)) return false;
  if (value === null) return true;
  return blankable.includes(name as string) ? isText(value) && value.length <= 255 : isLine(value, 255);
}

/** What is wrong with a list of options; null is none. */
export const dhcpOptions: Check = (value) => {
  if (value === null) return undefined;
  if (!Array.isArray(value)) return `'${said(value)}' is not a list`;
  const wrong = (value as unknown[]).find((item) => map(item) !== undefined || !fits(item as Record<string, unknown>));
  return wrong === undefined ? undefined : `No valid key specs in '${said(wrong)}'`;
};

const isKept = ({ opt_name: name, opt_value: value }: Asked): boolean =>
  blankable.includes(name) ? value !== null : Boolean(value);

const optionOf = ({ opt_name, opt_value, ip_version = 4 }: Asked): DhcpOption => ({
  opt_name,
  opt_value: opt_value!,
  ip_version: Number(ip_version),
});

/** The options after a change: those that are named are written or taken away, all others stay. */
export function changedOptions(options: readonly DhcpOption[], asked: unknown): readonly DhcpOption[] {
  let now = options;
  for (const one of (asked ?? []) as Asked[]) {
    const version = Number(one.ip_version ?? 4);
    const isSame = (option: DhcpOption): boolean => option.opt_name === one.opt_name && option.ip_version === version;
    if (one.opt_value === null) now = now.filter((option) => !isSame(option));
    else if (!isKept(one)) continue;
    else if (now.some(isSame)) now = now.map((option) => (isSame(option) ? optionOf(one) : option));
    else now = [...now, optionOf(one)];
  }
  return now;
}
