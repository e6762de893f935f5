// The ports in trunks. A port is in one trunk at most.
import { integer, text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { retryOnConstraint } from '../../../kernel/db/errors.ts';
import { grouped } from '../../../kernel/db/grouping.ts';
import { Table } from '../../../kernel/db/table.ts';
import type { SubPort } from '../model.ts';
import { beingChanged } from './conflicts.ts';

const subPortTable = new Table<SubPort>(
  'network_subports',
  { port_id: text, trunk_id: text, segmentation_type: text, segmentation_id: integer },
  { key: 'port_id' },
);

/** The subport that a port is, if it is one. */
export const subPortOf = (db: Db, portId: string): Promise<SubPort | undefined> =>
  subPortTable.find(db, { port_id: portId });

/** The subports of a trunk, in the order of segmentation ids. */
export const subPortsIn = async (db: Db, trunkId: string): Promise<readonly SubPort[]> =>
  (await subPortsOf(db, [trunkId])).get(trunkId) ?? [];

/** The subports of trunks, by trunk, each list in the order of segmentation ids. */
export async function subPortsOf(
  db: Db,
  trunkIds: readonly string[],
): Promise<Map<string, SubPort[]>> {
  const found = await subPortTable.among(db, 'trunk_id', trunkIds);
  const ordered = found.toSorted((a, b) => a.segmentation_id - b.segmentation_id);
  return grouped(ordered, ({ trunk_id }) => trunk_id);
}

/** @throws SerializationFailure if another transaction uses a port or a segmentation id */
export async function insertSubPorts(db: Db, subPorts: readonly SubPort[]): Promise<void> {
  await retryOnConstraint(subPortTable.insertAll(db, subPorts), () => beingChanged('trunk'));
}

export async function deleteSubPorts(db: Db, portIds: readonly string[]): Promise<void> {
  for (const id of portIds) await subPortTable.remove(db, { port_id: id });
}
