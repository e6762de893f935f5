// Queries for the servers that ran in a period, including deleted ones.
import type { Micros } from '../../../kernel/clock.ts';
import { integer, jsonObject, micros, named, nullable, text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { Table } from '../../../kernel/db/table.ts';
import type { Run, ServerFlavor } from '../model.ts';

const servers = new Table(
  'compute_servers',
  {
    uuid: text,
    name: text,
    projectId: text,
    vmState: text,
    flavor: jsonObject<ServerFlavor>(),
    vcpus: integer,
    memoryMb: named('ram', integer),
    launchedAt: micros,
    terminatedAt: nullable(micros),
  },
  { key: 'uuid' },
);

/** Lists the servers that ran in a period, by project and UUID. */
export async function listRuns(
  db: Db,
  from: Micros,
  to: Micros,
  projectId?: string,
): Promise<Run[]> {
  const query = db('compute_servers')
    .where('launched_at', '<', to)
    .where((either) => void either.whereNull('terminated_at').orWhere('terminated_at', '>', from))
    .orderBy(['project_id', 'uuid'])
    .select(...servers.fields.map((field) => servers.column(field)));
  if (projectId !== undefined) query.where({ project_id: projectId });
  return (await servers.read(query)).map(({ flavor, ...server }) => ({
    ...server,
    flavor: flavor.name,
    localGb: flavor.disk + flavor.ephemeral,
  }));
}
