// The table of the options in domain configurations.
import { json, text } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { Table } from '../../../../kernel/db/table.ts';
import type { DomainOption } from '../../model.ts';

const options = new Table<DomainOption & { readonly domainId: string }>(
  'identity_domain_configs',
  { domainId: text, group: text, option: text, value: json() },
  { key: ['domainId', 'group', 'option'] },
);

/** The options of a domain, of one of its groups, or one option. */
export const listDomainOptions = (
  db: Db,
  domainId: string,
  { group, option }: { group?: string | undefined; option?: string | undefined } = {},
): Promise<DomainOption[]> => options.list(db, { where: { domainId, group, option } });

/** Inserts options, or updates those that exist. */
export const writeDomainOptions = (
  db: Db,
  domainId: string,
  all: readonly DomainOption[],
): Promise<void> =>
  options.upsert(
    db,
    all.map((option) => ({ ...option, domainId })),
  );

/** Deletes the options of a domain, of one of its groups, or one option. */
export async function deleteDomainOptions(
  db: Db,
  domainId: string,
  group?: string,
  option?: string,
): Promise<void> {
  await options.remove(db, {
    domainId,
    ...(group === undefined ? {} : { group }),
    ...(option === undefined ? {} : { option }),
  });
}
