// The scheduler: the capabilities of the only pool, and whether it matches a volume type. Upstream:
// cinder/scheduler/filters.
import { isTrue } from '../../../../kernel/oslo/booleans.ts';
import type { Context } from '../../../../kernel/model.ts';
import { countSnapshots } from '../../store/snapshots.ts';
import { countPlacedVolumes } from '../../store/volumes.ts';
import { defaultTypeName, pool, type VolumeType } from '../../model.ts';
import { isDisabled, volumeService } from './services.ts';

/** The capabilities of a pool, by their names in extra specs. */
export type Capabilities = Readonly<Record<string, unknown>>;

/** The capabilities that never change, as the LVM driver of DevStack reports them. */
export const driverCapabilities: Capabilities = {
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

/** The capabilities of a pool with a limited capacity, which is not over-subscribed. */
const boundedBy = (total: number, allocated: number): Capabilities => ({
  total_capacity_gb: total,
  free_capacity_gb: Math.max(0, total - allocated),
  max_over_subscription_ratio: '1.0',
  thin_provisioning_support: false,
  thick_provisioning_support: true,
});

/** Returns the capabilities of the pool, including its provisioned capacity. */
export async function poolCapabilities({
  db,
  cloud,
}: Pick<Context, 'db' | 'cloud'>): Promise<Capabilities> {
  const { count, size: allocated } = await countPlacedVolumes(db);
  const snapshots = await countSnapshots(db, {
    projectId: undefined,
    conditions: [],
    metadata: {},
  });
  const { volumeCapacity } = cloud.config;
  return {
    ...driverCapabilities,
    ...(volumeCapacity === undefined ? {} : boundedBy(volumeCapacity, allocated)),
    provisioned_capacity_gb: allocated,
    allocated_capacity_gb: allocated,
    total_volumes: count + snapshots.count,
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

/**
 * Selects the pool for a volume of a type. `size` is the additional capacity in GiB, 0 for an
 * existing volume.
 * @returns undefined if the pool does not match or is full, or its service is disabled
 */
export async function poolFor(
  context: Pick<Context, 'db' | 'cloud'>,
  type: VolumeType,
  size: number,
): Promise<string | undefined> {
  if (await isDisabled(context, volumeService)) return undefined;
  const capabilities = await poolCapabilities(context);
  return matchesType(type, capabilities) && hasCapacity(capabilities, size) ? pool : undefined;
}

/** Returns whether existing volumes may grow by that many GiB. */
export const canExtend = async (
  context: Pick<Context, 'db' | 'cloud'>,
  size: number,
): Promise<boolean> => hasCapacity(await poolCapabilities(context), size);
