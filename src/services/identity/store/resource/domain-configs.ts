// The table of the options in the configurations of domains.
import type { DomainOption } from '../../model.ts';
import { toJson } from '../columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';

interface Row {
  domain_id: string;
  group: string;
  option: string;
  value: string;
}

const table = (db: Db) => db<Row>('identity_domain_configs');

/** The options of a domain, of one of its groups, or one option. */
export async function listDomainOptions(
  db: Db,
  domainId: string,
  { group, option }: { group?: string | undefined; option?: string | undefined } = {},
): Promise<DomainOption[]> {
  const query = table(db).where({ domain_id: domainId }).orderBy(['group', 'option']);
  if (group !== undefined) void query.where({ group });
  if (option !== undefined) void query.where({ option });
  return (await query).map((row) => ({
    group: row.group,
    option: row.option,
    value: JSON.parse(row.value) as unknown,
  }));
}

/** Inserts the options, or updates those that are stored already. */
export async function writeDomainOptions(
  db: Db,
  domainId: string,
  options: readonly DomainOption[],
): Promise<void> {
  const rows = options.map(({ group, option, value }) => ({
    domain_id: domainId,
    group,
    option,
    value: toJson(value),
  }));
  await table(db).insert(rows).onConflict(['domain_id', 'group', 'option']).merge();
}

/** Deletes the options of a domain, of one of its groups, or one option. */
export async function deleteDomainOptions(
  db: Db,
  domainId: string,
  group?: string,
  option?: string,
): Promise<void> {
  await table(db)
    .where({
      domain_id: domainId,
      ...(group === undefined ? {} : { group }),
      ...(option === undefined ? {} : { option }),
    })
    .delete();
}
