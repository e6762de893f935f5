// The segments of networks. Within a network type and a physical network, the primary key gives a
// segmentation id to one network only.
import { integer, text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { retryOnConstraint } from '../../../kernel/db/errors.ts';
import { Table } from '../../../kernel/db/table.ts';
import { beingChanged } from './conflicts.ts';

/**
 * A segmentation id within a network type and, for some types, a physical network; 0 for a flat
 * network.
 */
export interface Segment {
  readonly network_type: string;
  readonly physical_network: string;
  readonly segmentation_id: number;
}

const segments = new Table<Segment & { readonly network_id: string }>(
  'network_segments',
  { network_type: text, physical_network: text, segmentation_id: integer, network_id: text },
  { key: ['network_type', 'physical_network', 'segmentation_id'] },
);

/** The id of the network that has the segment. */
export async function networkOnSegment(db: Db, segment: Segment): Promise<string | undefined> {
  return (await segments.find(db, segment))?.network_id;
}

/** The highest segmentation id in use, or 0. */
export async function highestSegment(db: Db, type: string, physical: string): Promise<number> {
  const [row] = (await db(segments.name)
    .where({ network_type: type, physical_network: physical })
    .max('segmentation_id as highest')) as { highest: number | null }[];
  return Number(row?.highest ?? 0);
}

/** @throws SerializationFailure if another network has just got it */
export async function insertSegment(db: Db, networkId: string, segment: Segment): Promise<void> {
  const row = { ...segment, network_id: networkId };
  await retryOnConstraint(segments.insert(db, row), () => beingChanged('segment'));
}

export async function deleteSegments(db: Db, networkId: string): Promise<void> {
  await segments.remove(db, { network_id: networkId });
}
