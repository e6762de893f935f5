// The table of the options that domains have of their own.
import { toJson } from '../columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';

interface Row {
  domain_id: string;
  group: string;
  option: string;
  value: string;
}

/** One option of a domain. */
export interface DomainOption {
  readonly group: string;
  readonly option: string;
  readonly value: unknown;
}

const table = (db: Db) => db<Row>('identity_domain_configs');

/** The options of a domain, or only those of a group, or only one. */
export async function listDomainOptions(
  db: Db,
  domainId: string,
  { group, option }: { group?: string | undefined; option?: string | undefined } = {},
): Promise<DomainOption[]> {
  const query = table(db).where({ domain_id: domainId }).orderBy(['group', 'option']);
  if (group !== undefined) void query.where({ group });
  if (option !== undefined) void query.where({ option });
  return (await query).map((row) => ({ group: row.group, option: row.option, value: JSON.parse(row.value) as unknown }));
}

/** Adds the options, or changes those that are there. */
export async function writeDomainOptions(db: Db, domainId: string, options: readonly DomainOption[]): Promise<void> {
  const rows = options.map(({ group, option, value }) => ({ domain_id: domainId, group, option, value: toJson(value) }));
  await table(db).insert(rows).onConflict(['domain_id', 'group', 'option']).merge();
}

/** Deletes the options of a domain, or only those of a group, or only one. */
export async function deleteDomainOptions(db: Db, domainId: string, group?: string, option?: string): Promise<void> {
  await table(db)
    .where({ domain_id: domainId, ...(group === undefined ? {} : { group }), ...(option === undefined ? {} : { option }) })
    .delete();
}
