// The segments of networks. Within a network type and a physical network, a unique key gives a
// segmentation id to one network only.
import type { Db } from '../../../kernel/db/database.ts';
import { grouped } from '../../../kernel/db/grouping.ts';
import type { Condition } from '../../../kernel/db/listing.ts';
import type { Network, Segment } from '../model.ts';
import { segmentTable } from './tables.ts';

/** What only one network can have, unless it is local. */
export type Allocation = Pick<Segment, 'network_type' | 'physical_network' | 'segmentation_id'>;

/** Whether a network has that segment. */
export const isAllocated = async (
  db: Db,
  { network_type, physical_network, segmentation_id }: Allocation,
): Promise<boolean> =>
  (await segmentTable.find(db, { network_type, physical_network, segmentation_id })) !== undefined;

/** The highest segmentation id in use, or 0. */
export async function highestSegment(
  db: Db,
  { network_type, physical_network }: Pick<Segment, 'network_type' | 'physical_network'>,
): Promise<number> {
  const [row] = (await db(segmentTable.name)
    .where({ network_type, physical_network: physical_network ?? '' })
    .max('segmentation_id as highest')) as { highest: number | null }[];
  return Number(row?.highest ?? 0);
}

/** The segments of networks, by network and in their order. */
export async function segmentsOfNetworks(
  db: Db,
  networkIds: readonly string[],
): Promise<Map<string, Segment[]>> {
  const segments = await segmentTable.among(db, 'network_id', networkIds);
  const ordered = segments.toSorted(
    (one, other) => one.segment_index - other.segment_index || (one.id < other.id ? -1 : 1),
  );
  return grouped(ordered, (segment) => segment.network_id);
}

export const segmentsOf = async (db: Db, networkId: string): Promise<Segment[]> =>
  (await segmentsOfNetworks(db, [networkId])).get(networkId) ?? [];

export async function deleteSegments(db: Db, networkId: string): Promise<void> {
  await segmentTable.remove(db, { network_id: networkId });
}

/** Networks with a segment whose attribute has one of the values. */
export const withSegment =
  (db: Db, attribute: string, values: readonly unknown[]): Condition =>
  (query) => {
    const segments = db(segmentTable.name).select('network_id');
    segmentTable.withValue(attribute, values)(segments);
    void query.whereIn('network_networks.id', segments);
  };

/** The physical network of the first segment of each network, by network; null if it has none. */
export async function firstPhysicalNetworks(
  db: Db,
  networks: readonly Network[],
): Promise<Map<string, string | null>> {
  // The attributes of a network with several segments are not those of any of them.
  const several = networks.filter((network) => network['provider:network_type'] === null);
  const segments = await segmentsOfNetworks(
    db,
    several.map(({ id }) => id),
  );
  return new Map(
    networks.map((network) => [
      network.id,
      segments.get(network.id)?.[0]?.physical_network ?? network['provider:physical_network'],
    ]),
  );
}
