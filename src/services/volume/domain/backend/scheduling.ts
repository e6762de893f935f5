// The scheduler: the capabilities of pools, and which of them match a volume type. Upstream:
// cinder/scheduler/filters.
import { isTrue } from '../../../../kernel/oslo/booleans.ts';
import type { Context } from '../../../../kernel/model.ts';
import { countPlacedSnapshots } from '../../store/snapshots.ts';
import { countPlacedVolumes } from '../../store/volumes.ts';
import { findType } from '../../store/types.ts';
import type { VolumeType } from '../../model.ts';
import { backendAt, backendsOf, type Backend } from './backends.ts';
import { isDisabled } from './services.ts';

/** The capabilities of a pool, by their names in extra specs. */
export type Capabilities = Readonly<Record<string, unknown>>;

/** The capabilities that never change, as the LVM driver of DevStack reports them. */
export const driverCapabilities = {
  vendor_name: 'Open Source',
  driver_version: '3.0.0',
  storage_protocol: 'iSCSI',
} as const;

const capabilitiesOf = ({ name }: Backend): Capabilities => ({
  pool_name: name,
  volume_backend_name: name,
  ...driverCapabilities,
  total_capacity_gb: 'infinite',
  free_capacity_gb: 'infinite',
  reserved_percentage: 0,
  location_info: `LVMVolumeDriver:cumulet:stack-volumes-${name}:thin:0`,
  QoS_support: false,
  max_over_subscription_ratio: '20.0',
  thin_provisioning_support: true,
  thick_provisioning_support: false,
  filter_function: null,
  goodness_function: null,
  multiattach: true,
  backend_state: 'up',
  cacheable: true,
});

/** The capabilities of a pool with a limited capacity, which is not over-subscribed. */
const boundedBy = (total: number, allocated: number): Capabilities => ({
  total_capacity_gb: total,
  free_capacity_gb: Math.max(0, total - allocated),
  max_over_subscription_ratio: '1.0',
  thin_provisioning_support: false,
  thick_provisioning_support: true,
});

/** Returns the capabilities of a backend's pool, including its provisioned capacity. */
export async function poolCapabilities(
  { db, cloud }: Pick<Context, 'db' | 'cloud'>,
  backend: Backend,
): Promise<Capabilities> {
  const { count, size: allocated } = await countPlacedVolumes(db, backend.pool);
  const { volumeCapacity } = cloud.config;
  return {
    ...capabilitiesOf(backend),
    ...(volumeCapacity === undefined ? {} : boundedBy(volumeCapacity, allocated)),
    provisioned_capacity_gb: allocated,
    allocated_capacity_gb: allocated,
    total_volumes: count + (await countPlacedSnapshots(db, backend.pool)),
  };
}

type Compare = (capability: unknown, spec: string) => boolean;

const numbers =
  (compare: (capability: number, spec: number) => boolean): Compare =>
  (capability, spec) =>
    compare(Number(capability), Number(spec));

const strings =
  (compare: (capability: string, spec: string) => boolean): Compare =>
  (capability, spec) =>
    compare(String(capability), spec);

const operators: Readonly<Record<string, Compare>> = {
  '=': numbers((capability, spec) => capability >= spec),
  '>=': numbers((capability, spec) => capability >= spec),
  '<=': numbers((capability, spec) => capability <= spec),
  '==': numbers((capability, spec) => capability === spec),
  '!=': numbers((capability, spec) => capability !== spec),
  '<is>': (capability, spec) => isTrue(capability) === isTrue(spec),
  '<in>': strings((capability, spec) => capability.includes(spec)),
  's==': strings((capability, spec) => capability === spec),
  's!=': strings((capability, spec) => capability !== spec),
  's<': strings((capability, spec) => capability < spec),
  's<=': strings((capability, spec) => capability <= spec),
  's>': strings((capability, spec) => capability > spec),
  's>=': strings((capability, spec) => capability >= spec),
};

/**
 * Returns whether a capability matches an extra spec, which may begin with an operator. Upstream:
 * cinder/scheduler/filters/extra_specs_ops.py.
 */
function matches(capability: unknown, spec: string): boolean {
  const [operator = '', ...rest] = spec.split(/\s+/).filter(Boolean);
  if (operator === '<or>')
    return (
      capability !== null && rest.some((word, index) => index % 2 === 0 && word === capability)
    );
  const compare = Object.hasOwn(operators, operator) ? operators[operator] : undefined;
  if (!compare) return capability === spec;
  return capability !== null && rest[0] !== undefined && compare(capability, rest[0]);
}

/**
 * Returns whether a pool matches a volume type. Only extra specs without a scope, or with the scope
 * `capabilities:`, must match.
 */
export const matchesType = ({ extraSpecs }: VolumeType, capabilities: Capabilities): boolean =>
  Object.entries(extraSpecs).every(([key, spec]) => {
    const [scope, ...rest] = key.split(':');
    if (rest.length && scope !== 'capabilities') return true;
    const name = scope === 'capabilities' ? rest.join(':') : key;
    return Object.hasOwn(capabilities, name) && matches(capabilities[name], spec);
  });

/**
 * Returns whether a pool has that many GiB free. Upstream:
 * cinder/scheduler/filters/capacity_filter.py.
 */
const hasCapacity = ({ free_capacity_gb: free }: Capabilities, size: number): boolean =>
  typeof free !== 'number' || free >= size;

type Scheduled = Pick<Context, 'db' | 'cloud'>;

/**
 * Reads the capabilities of a backend that accepts a volume of a type. `size` is the additional
 * capacity in GiB, 0 for a volume that it has.
 * @returns undefined if the backend does not accept the volume
 */
async function acceptingCapabilities(
  context: Scheduled,
  backend: Backend,
  type: VolumeType,
  size: number,
): Promise<Capabilities | undefined> {
  if (await isDisabled(context, backend.service)) return undefined;
  const capabilities = await poolCapabilities(context, backend);
  return matchesType(type, capabilities) && hasCapacity(capabilities, size)
    ? capabilities
    : undefined;
}

/** Returns whether a backend accepts a volume of a type. The size is as above. */
export const accepts = async (
  context: Scheduled,
  backend: Backend,
  type: VolumeType,
  size: number,
): Promise<boolean> => (await acceptingCapabilities(context, backend, type, size)) !== undefined;

/**
 * Selects the pool for a volume of a type: the one with the most free capacity, and of equal ones
 * the first.
 * @returns undefined if no pool matches and has room, or their services are disabled
 */
export async function poolFor(
  context: Scheduled,
  type: VolumeType,
  size: number,
): Promise<string | undefined> {
  let best: { pool: string; free: number } | undefined;
  for (const backend of backendsOf(context)) {
    const capabilities = await acceptingCapabilities(context, backend, type, size);
    if (!capabilities) continue;
    const { free_capacity_gb: capacity } = capabilities;
    const free = typeof capacity === 'number' ? capacity : Infinity;
    if (!best || free > best.free) best = { pool: backend.pool, free };
  }
  return best?.pool;
}

/**
 * Returns whether the volumes of a host may grow by that many GiB. The volumes of a captured cloud
 * may be on hosts that are not here: they take room of the first backend.
 */
export async function canExtend(
  context: Scheduled,
  host: string | null,
  size: number,
): Promise<boolean> {
  if (host === null) return false;
  const backend = backendAt(context, host) ?? backendsOf(context)[0]!;
  return hasCapacity(await poolCapabilities(context, backend), size);
}

/**
 * Selects the pool for a group: the first that accepts all of its volume types, by id.
 * @returns undefined if no backend accepts all types, or if a type does not exist
 */
export async function poolForAll(
  context: Scheduled,
  typeIds: readonly string[],
): Promise<string | undefined> {
  const types: VolumeType[] = [];
  for (const id of typeIds) {
    const type = await findType(context.db, { id });
    if (!type) return undefined;
    types.push(type);
  }
  for (const backend of backendsOf(context)) {
    let isSuitable = true;
    for (const type of types) isSuitable &&= await accepts(context, backend, type, 0);
    if (isSuitable) return backend.pool;
  }
  return undefined;
}
