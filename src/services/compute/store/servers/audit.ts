// The columns of servers that an audit compares, without those that take long to parse.
import { nullable, text, textOf } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { Table } from '../../../../kernel/db/table.ts';
import { vmStates, type Server } from '../../model.ts';

/** A server in an audit. */
export type AuditedServer = Pick<
  Server,
  'uuid' | 'name' | 'projectId' | 'vmState' | 'taskState' | 'host' | 'node' | 'groupId'
>;

const servers = new Table<AuditedServer>(
  'compute_servers',
  {
    uuid: text,
    name: text,
    projectId: text,
    vmState: textOf(vmStates),
    taskState: nullable(text),
    host: nullable(text),
    node: nullable(text),
    groupId: nullable(text),
  },
  { key: 'uuid' },
);

/** Lists the servers that are not deleted, in the order in which they were created. */
export const auditedServers = (db: Db): Promise<AuditedServer[]> =>
  servers.read(
    db(servers.name)
      .whereNull('deleted_at')
      .orderBy('id')
      .select(servers.fields.map((field) => servers.column(field))),
  );
