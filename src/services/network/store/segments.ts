// The segments of networks: one network has a segmentation id within a network type and a physical
// network, which the primary key sees to.
import { beingChanged, contended } from './table.ts';
import type { Db } from '../../../kernel/db/database.ts';

/**
 * A segmentation id within a network type and, for some types, a physical network; 0 for a flat
 * network.
 */
export interface Segment {
  readonly network_type: string;
  readonly physical_network: string;
  readonly segmentation_id: number;
}

const segments = (db: Db) => db<Segment & { network_id: string }>('network_segments');

/** The id of the network that has the segment. */
export async function networkOnSegment(db: Db, segment: Segment): Promise<string | undefined> {
  return (await segments(db).where(segment).first())?.network_id;
}

/** The highest segmentation id that is taken; 0 where none is. */
export async function highestSegment(db: Db, type: string, physical: string): Promise<number> {
  const [row] = (await segments(db)
    .where({ network_type: type, physical_network: physical })
    .max('segmentation_id as highest')) as { highest: number | null }[];
  return Number(row?.highest ?? 0);
}

/** @throws Contention where another network has just taken it */
export async function takeSegment(db: Db, networkId: string, segment: Segment): Promise<void> {
  await contended(beingChanged('segment'), () =>
    segments(db).insert({ ...segment, network_id: networkId }),
  );
}

export async function dropSegments(db: Db, networkId: string): Promise<void> {
  await segments(db).where({ network_id: networkId }).delete();
}
