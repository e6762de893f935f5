// Reads descriptions of hosts from `--hosts`, which is a number or a file, and from requests to the
// emulator's API.
import { firstRepeated } from '../../../../kernel/db/grouping.ts';
import { loadYaml } from '../../../../kernel/lazy.ts';
import { standardTraits } from '../../clients/placement.ts';
import { maxInt } from '../numbers.ts';

type Amounts = Readonly<Record<'vcpus' | 'memory_mb' | 'disk_gb', number>>;

export interface HostProfile extends Amounts {
  readonly name: string;
  /** The allocation ratio of each resource. */
  readonly ratios: Amounts;
  /** The amounts that the host reserves for itself. */
  readonly reserved: Amounts;
  /** Traits in addition to those of every host. */
  readonly traits: readonly string[];
  /** The availability zone; undefined for the default zone. */
  readonly zone: string | undefined;
}

/** A host's description, in which everything but the name is optional. */
export type HostDescription = Partial<Amounts> & {
  readonly name: string;
  readonly ratios?: Partial<Amounts>;
  readonly reserved?: Partial<Amounts>;
  readonly traits?: readonly string[];
  readonly zone?: string | undefined;
};

/**
 * The default values. Upstream: initial_cpu_allocation_ratio and similar options, and
 * reserved_host_memory_mb, in conf/compute.py.
 */
const defaults = {
  sizes: { vcpus: 16, memory_mb: 65_536, disk_gb: 1000 },
  ratios: { vcpus: 4, memory_mb: 1, disk_gb: 1 },
  reserved: { vcpus: 0, memory_mb: 512, disk_gb: 0 },
} as const;

const maxHosts = 10_000;

/** Completes a description with default values. */
export function profileOf(description: HostDescription): HostProfile {
  const { name, ratios, reserved, traits = [], zone, ...sizes } = description;
  return {
    ...defaults.sizes,
    ...sizes,
    name,
    ratios: { ...defaults.ratios, ...ratios },
    reserved: { ...defaults.reserved, ...reserved },
    traits,
    zone,
  };
}

/** Describes a number of identical hosts, which are called `compute-1`, `compute-2` and so on. */
export function hostsByNumber(text: string): HostProfile[] {
  const count = Number(text);
  if (count > maxHosts) throw new Error(`--hosts ${text}: the maximum is ${maxHosts} hosts.`);
  return Array.from({ length: count }, (_, index) => profileOf({ name: `compute-${index + 1}` }));
}

/**
 * Reads a file of hosts, which is a list, or a mapping with the list under `hosts`.
 * @throws Error that names the file, the host and what is expected
 */
export function readHosts(yamlText: string, file: string): HostProfile[] {
  const document = loadYaml().parseDocument(yamlText);
  const [flaw] = document.errors;
  if (flaw) throw new Error(`${file}: ${flaw.message.split('\n')[0]?.replace(/:$/, '')}.`);
  const content: unknown = document.toJS();
  const list = isObject(content) ? content['hosts'] : content;
  if (!Array.isArray(list))
    throw new Error(`${file}: a list of hosts is expected, each with a name.`);
  const hosts = list.map((entry: unknown, index) =>
    readProfile(entry, `${file}, host ${index + 1}`),
  );
  const duplicate = firstRepeated(hosts.map(({ name }) => name));
  if (duplicate !== undefined) throw new Error(`${file}: two hosts are called ${duplicate}.`);
  return hosts;
}

const keys = ['name', 'vcpus', 'memory_mb', 'disk_gb', 'ratios', 'reserved', 'traits', 'zone'];

/** Reads one description. @throws Error that says which host is invalid and what is expected */
export function readProfile(entry: unknown, where: string): HostProfile {
  const expected = (what: string): Error => new Error(`${where}: ${what}`);
  if (!isObject(entry)) throw expected('a mapping with a name is expected.');
  const unknown = Object.keys(entry).find((key) => !keys.includes(key));
  if (unknown !== undefined)
    throw expected(`'${unknown}' is unknown. A host has ${keys.join(', ')}.`);
  const { name, ratios, reserved, traits = [], zone } = entry;
  if (typeof name !== 'string' || !/^[a-zA-Z0-9._-]{1,200}$/.test(name)) {
    throw expected(
      'name: letters, digits, dots, dashes and underscores are expected, at most 200.',
    );
  }
  if (!Array.isArray(traits) || !traits.every(isTrait))
    throw expected('traits: a list of standard traits or CUSTOM_ names is expected.');
  if (
    zone !== undefined &&
    (typeof zone !== 'string' || !/^[^:\s]([^:]*[^:\s])?$/.test(zone) || zone.length > 255)
  ) {
    throw expected('zone: a name without a colon is expected.');
  }
  return profileOf({
    name,
    ...amounts(entry, 1, true, expected),
    ratios: amounts(ratios ?? {}, 0.01, false, expected, 'ratios.'),
    reserved: amounts(reserved ?? {}, 0, true, expected, 'reserved.'),
    traits: traits as string[],
    zone: zone as string | undefined,
  });
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTrait = (name: unknown): boolean =>
  typeof name === 'string' &&
  (/^CUSTOM_[A-Z0-9_]{1,248}$/.test(name) || standardTraits.includes(name));

/** Reads amounts of resources, all of which are optional. @throws `expected` for invalid ones */
function amounts(
  from: unknown,
  least: number,
  whole: boolean,
  expected: (what: string) => Error,
  prefix = '',
): Partial<Record<keyof Amounts, number>> {
  if (!isObject(from))
    throw expected(
      `${prefix.slice(0, -1)}: a mapping of vcpus, memory_mb and disk_gb is expected.`,
    );
  const found: Partial<Record<keyof Amounts, number>> = {};
  for (const key of ['vcpus', 'memory_mb', 'disk_gb'] as const) {
    const value = from[key];
    if (value === undefined) continue;
    const fits =
      typeof value === 'number' &&
      value >= least &&
      value <= maxInt &&
      (!whole || Number.isInteger(value));
    if (!fits)
      throw expected(
        `${prefix}${key}: a ${whole ? 'whole ' : ''}number of at least ${least} is expected.`,
      );
    found[key] = value;
  }
  return found;
}
