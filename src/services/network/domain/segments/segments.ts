// Segments of networks. Upstream: neutron/services/segments, and _handle_segment_change in
// neutron/plugins/ml2/plugin.py.
import type { Context } from '../../../../kernel/model.ts';
import type { Network, Segment } from '../../model.ts';
import { segmentsOf, type Allocation } from '../../store/segments.ts';
import { networkTable, segmentTable, subnetTable } from '../../store/tables.ts';
import type { Fields } from '../attributes/definitions.ts';
import { mtuOf } from '../networks/mtu.ts';
import { inConflict, networkNotFound } from '../refusals.ts';
import { newStandard, storedFields } from '../standard.ts';
import { allocateSegment, requestedSegment } from './allocation.ts';
import { reportSegment } from './hosts.ts';

/** The provider attributes of a network: those of its only segment. */
export function providerOf(
  segments: readonly Allocation[],
): Pick<
  Network,
  'provider:network_type' | 'provider:physical_network' | 'provider:segmentation_id'
> {
  const only = segments.length === 1 ? segments[0] : undefined;
  return {
    'provider:network_type': only?.network_type ?? null,
    'provider:physical_network': only?.physical_network ?? null,
    'provider:segmentation_id': only?.segmentation_id || null,
  };
}

/** Inserts the segments of a new network. They belong to no project. */
export async function insertSegments(
  { db, now }: Context,
  networkId: string,
  allocations: readonly Allocation[],
): Promise<void> {
  for (const [index, allocation] of allocations.entries())
    await segmentTable.create(db, {
      ...newStandard({ project_id: '' }, now),
      ...allocation,
      name: null,
      network_id: networkId,
      segment_index: index,
    });
}

/** Adds a segment to a network. @throws 400, 404, 409 */
export async function createSegment(context: Context, fields: Fields): Promise<Segment> {
  const { db, now } = context;
  const networkId = fields['network_id'] as string;
  const network = await networkTable.find(db, { id: networkId });
  if (!network) throw networkNotFound(networkId);
  const existing = await segmentsOf(db, networkId);
  const allocation = await allocateSegment(context, requestedSegment(fields));
  await mtuOf(context, [...existing, allocation], network.mtu);
  const { name } = fields;
  const segment: Segment = {
    ...newStandard({ ...fields, project_id: '' }, now),
    ...allocation,
    name: typeof name === 'string' ? name : null,
    network_id: networkId,
    segment_index: Math.max(-1, ...existing.map((one) => one.segment_index)) + 1,
  };
  await segmentTable.create(db, segment);
  await networkTable.change(db, network, providerOf([...existing, segment]), now);
  return segment;
}

export const updateSegment = (
  { db, now }: Context,
  segment: Segment,
  fields: Fields,
): Promise<Segment> => segmentTable.change(db, segment, storedFields(segmentTable, fields), now);

/** Removes a segment from its network. @throws 409 if it has subnets */
export async function deleteSegment(context: Context, segment: Segment): Promise<void> {
  const { db, now } = context;
  const subnets = await subnetTable.list(db, { where: { segment_id: segment.id } });
  if (subnets.length) {
    const ids = subnets.map(({ id }) => id).join(', ');
    throw inConflict(
      'SegmentInUse',
      `Segment '${segment.id}' cannot be deleted: The segment is still associated with ` +
        `subnet(s) ${ids}.`,
    );
  }
  const network = (await networkTable.find(db, { id: segment.network_id }))!;
  await segmentTable.delete(db, segment);
  const left = (await segmentsOf(db, network.id)).filter(({ id }) => id !== segment.id);
  await networkTable.change(db, network, providerOf(left), now);
  await reportSegment(context, segment.id);
}
