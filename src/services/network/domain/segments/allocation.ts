// What a segment is on the physical networks: its type, physical network and segmentation id, which
// a client requests or which are chosen. Upstream: neutron/plugins/ml2/drivers/type_*.py.
import type { Context } from '../../../../kernel/model.ts';
import { highestSegment, isAllocated, type Allocation } from '../../store/segments.ts';
import type { Fields } from '../attributes/definitions.ts';
import { inConflict, invalidInput } from '../refusals.ts';

/** The default network type, as in DevStack. */
export const defaultType = 'geneve';

export const networkTypes = ['local', 'flat', 'vlan', 'vxlan', 'gre', 'geneve'];

/** The lowest and the highest segmentation id of each type. */
const segmentationIds: Readonly<Record<string, readonly [number, number]>> = {
  vlan: [1, 4094],
  vxlan: [1, 16777215],
  gre: [1, 4294967295],
  geneve: [1, 16777215],
};

/** A segment that a client requests. Its segmentation id is chosen if it is null. */
export interface RequestedSegment {
  readonly type: string;
  readonly physical: string | null;
  readonly number: number | null;
}

/**
 * Reads the attributes of a segment.
 * @param prefix begins their names
 * @throws 400 if they contradict each other
 */
export function requestedSegment(fields: Fields, prefix = ''): RequestedSegment {
  const read = (name: string): unknown => {
    const value = fields[`${prefix}${name}`] ?? null;
    return typeof value === 'symbol' ? null : value;
  };
  const type = read('network_type') as string | null;
  const physical = (read('physical_network') as string | null) || null;
  const number = read('segmentation_id') as number | null;
  if (type === null) throw invalidInput('network_type required');
  if (!networkTypes.includes(type))
    throw invalidInput(`network_type value '${type}' not supported`);
  checkPhysical(type, physical, number);
  if (number !== null && (type === 'flat' || type === 'local')) {
    throw invalidInput(
      type === 'flat'
        ? 'provider:segmentation_id prohibited for flat provider network'
        : 'segmentation_id prohibited for local provider network',
    );
  }
  const [min, max] = segmentationIds[type] ?? [0, 0];
  if (number !== null && (number < min || number > max))
    throw invalidInput(`segmentation_id out of range (${min} through ${max})`);
  return { type, physical: type === 'vlan' ? (physical ?? 'public') : physical, number };
}

/** @throws 400 if the type needs a physical network or has none */
function checkPhysical(type: string, physical: string | null, number: number | null): void {
  if (type !== 'flat' && type !== 'vlan') {
    if (physical !== null)
      throw invalidInput(`provider:physical_network specified for ${type} network`);
  } else if (physical === null && (type === 'flat' || number !== null)) {
    throw invalidInput(
      type === 'flat'
        ? 'physical_network required for flat provider network'
        : `segmentation_id requires physical_network for VLAN provider network`,
    );
  }
}

/**
 * Chooses the segmentation id, unless it was requested.
 * @param taken the segments that the same request has allocated, and not inserted yet
 * @throws 409 if another network has it
 */
export async function allocateSegment(
  { db }: Pick<Context, 'db'>,
  { type, physical, number }: RequestedSegment,
  taken: readonly Allocation[] = [],
): Promise<Allocation> {
  const place = { network_type: type, physical_network: physical };
  const beside = taken.filter(
    (one) => one.network_type === type && one.physical_network === physical,
  );
  if (type === 'local') return { ...place, segmentation_id: null };
  if (type === 'flat') {
    const segment = { ...place, segmentation_id: 0 };
    if (!beside.length && !(await isAllocated(db, segment))) return segment;
    throw inConflict(
      'FlatNetworkInUse',
      `Unable to create the flat network. Physical network ${physical} is in use.`,
    );
  }
  if (number === null) {
    const own = beside.map((one) => one.segmentation_id ?? 0);
    const next = Math.max(await highestSegment(db, place), ...own) + 1;
    if (next <= segmentationIds[type]![1]) return { ...place, segmentation_id: next };
    throw inConflict(
      'NoNetworkAvailable',
      'Unable to create the network. No project network is available for allocation.',
    );
  }
  const segment = { ...place, segmentation_id: number };
  if (!(await isAllocated(db, segment))) return segment;
  throw type === 'vlan'
    ? inConflict(
        'VlanIdInUse',
        `Unable to create the network. The VLAN ${number} on physical network ${physical} is ` +
          'in use.',
      )
    : inConflict(
        'TunnelIdInUse',
        `Unable to create the network. The tunnel ID ${number} is in use.`,
      );
}
