// The topologies that projects were given automatically, one for each project.
import { nullable, text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { retryOnConstraint } from '../../../kernel/db/errors.ts';
import { Table } from '../../../kernel/db/table.ts';
import type { AutoTopology } from '../model.ts';
import { beingChanged } from './conflicts.ts';

const topologies = new Table<AutoTopology>(
  'network_auto_topologies',
  { project_id: text, network_id: text, router_id: nullable(text) },
  { key: 'project_id' },
);

export const topologyOf = (db: Db, projectId: string): Promise<AutoTopology | undefined> =>
  topologies.find(db, { project_id: projectId });

/** @throws SerializationFailure if another transaction has just given the project a topology */
export async function insertTopology(db: Db, topology: AutoTopology): Promise<void> {
  await retryOnConstraint(topologies.insert(db, topology), () => beingChanged('topology'));
}
