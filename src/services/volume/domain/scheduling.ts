// Where volumes can be: the one pool, and which types it is good for. Upstream: cinder/scheduler/filters.
import { countSnapshots } from '../store/snapshots.ts';
import { countVolumes } from '../store/volumes.ts';
import { backend, defaultTypeName, type VolumeType } from './records.ts';
import { isDisabled, volumeService } from './services.ts';
import type { Db } from '../../../kernel/db/database.ts';

export type Capabilities = Readonly<Record<string, unknown>>;

/** What the pool says of itself whatever is on it, as the LVM driver of DevStack does. */
export const driverFacts: Capabilities = {
  pool_name: defaultTypeName,
  volume_backend_name: defaultTypeName,
  vendor_name: 'Open Source',
  driver_version: '3.0.0',
  storage_protocol: 'iSCSI',
  total_capacity_gb: 'infinite',
  free_capacity_gb: 'infinite',
  reserved_percentage: 0,
  location_info: 'LVMVolumeDriver:cumulet:stack-volumes-lvmdriver-1:thin:0',
  QoS_support: false,
  max_over_subscription_ratio: '20.0',
  thin_provisioning_support: true,
  thick_provisioning_support: false,
  filter_function: null,
  goodness_function: null,
  multiattach: true,
  backend_state: 'up',
  cacheable: true,
};

/** What the pool can do, and how much is on it. */
export async function capabilitiesOf(db: Db): Promise<Capabilities> {
  const all = { projectId: undefined, conditions: [], metadata: {} };
  const volumes = await countVolumes(db, all);
  const snapshots = await countSnapshots(db, all);
  return {
    ...driverFacts,
    provisioned_capacity_gb: volumes.size,
    allocated_capacity_gb: volumes.size,
    total_volumes: volumes.count + snapshots.count,
  };
}

const truthOf = (value: unknown): boolean => /^\s*(1|t|true|on|y|yes)\s*$/i.test(String(value));

type Compare = (have: unknown, want: string) => boolean;

const numbers =
  (compare: (have: number, want: number) => boolean): Compare =>
  (have, want) =>
    compare(Number(have), Number(want));

const words =
  (compare: (have: string, want: string) => boolean): Compare =>
  (have, want) =>
    compare(String(have), want);

const operators: Readonly<Record<string, Compare>> = {
  '=': numbers((have, want) => have >= want),
  '>=': numbers((have, want) => have >= want),
  '<=': numbers((have, want) => have <= want),
  '==': numbers((have, want) => have === want),
  '!=': numbers((have, want) => have !== want),
  '<is>': (have, want) => truthOf(have) === truthOf(want),
  '<in>': words((have, want) => have.includes(want)),
  's==': words((have, want) => have === want),
  's!=': words((have, want) => have !== want),
  's<': words((have, want) => have < want),
  's<=': words((have, want) => have <= want),
  's>': words((have, want) => have > want),
  's>=': words((have, want) => have >= want),
};

/** Whether a capability is as an extra spec wants it. Upstream: cinder/scheduler/filters/extra_specs_ops.py. */
export function matches(have: unknown, wanted: string): boolean {
  const [operator = '', ...rest] = wanted.split(/\s+/).filter(Boolean);
  if (operator === '<or>') return have !== null && rest.some((word, index) => index % 2 === 0 && word === have);
  const compare = Object.hasOwn(operators, operator) ? operators[operator] : undefined;
  if (!compare) return have === wanted;
  return have !== null && rest[0] !== undefined && compare(have, rest[0]);
}

/** Whether a pool is good for a type: extra specs without a scope, and those of `capabilities:`, must match. */
export const isGoodFor = ({ extraSpecs }: VolumeType, capabilities: Capabilities): boolean =>
  Object.entries(extraSpecs).every(([key, wanted]) => {
    const [scope, ...rest] = key.split(':');
    if (rest.length && scope !== 'capabilities') return true;
    const name = scope === 'capabilities' ? rest.join(':') : key;
    return Object.hasOwn(capabilities, name) && matches(capabilities[name], wanted);
  });

/** The pool that a volume of a type goes to; undefined where there is none. */
export async function poolFor(db: Db, type: VolumeType): Promise<string | undefined> {
  if (await isDisabled(db, volumeService)) return undefined;
  return isGoodFor(type, await capabilitiesOf(db)) ? backend : undefined;
}
