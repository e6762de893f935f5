// Watches the writes of all tests: a transaction that writes to a table of which processes keep
// something in memory has to give that a new revision.
import type { Db } from '../../src/kernel/db/database.ts';
import { hostsRevision } from '../../src/services/compute/store/hosts/revision.ts';
import { namesRevision } from '../../src/services/placement/store/names.ts';
import { treesRevision } from '../../src/services/placement/store/trees-revision.ts';
import { hostsRevision as reservationHostsRevision } from '../../src/services/reservation/store/hosts.ts';

/** The revision that the rows of a table have. */
const revisionOf: Readonly<Record<string, string>> = {
  placement_providers: treesRevision,
  placement_inventories: treesRevision,
  placement_provider_traits: treesRevision,
  placement_provider_aggregates: treesRevision,
  placement_traits: namesRevision,
  placement_resource_classes: namesRevision,
  placement_consumer_types: namesRevision,
  compute_hosts: hostsRevision,
  compute_services: hostsRevision,
  compute_aggregates: hostsRevision,
  compute_aggregate_hosts: hostsRevision,
  compute_aggregate_metadata: hostsRevision,
  reservation_hosts: reservationHostsRevision,
};

/** Writes of columns that nothing in memory depends on: usage, generations and locks of rows. */
const exempt = [
  /^update `placement_inventories` set `used` = used \+/,
  /^update `placement_providers` set (`generation` = [^,]+)?(, `updated_at` = \?)? where/,
  /^update `compute_aggregate_hosts` set `host` = `host` where/,
  /^update `reservation_hosts` set `revision` = \? where/,
  /^update `compute_services` set `forced_down` = \? where .*`forced_down` = \?/,
];

/** A statement, as Knex reports it. */
interface Statement {
  /** The connection. */
  readonly __knexUid: string;
  readonly sql: string;
  readonly bindings?: readonly unknown[];
}

/** What a transaction has written so far. */
interface Written {
  readonly tables: Set<string>;
  readonly revisions: Set<string>;
}

/** Reports transactions that commit such a write without a new revision. */
export function watchRevisions(db: Db, problems: string[]): void {
  const open = new Map<string, Written>();
  db.on('query', ({ __knexUid: connection, sql, bindings = [] }: Statement) => {
    if (sql.startsWith('BEGIN')) open.set(connection, { tables: new Set(), revisions: new Set() });
    const written = open.get(connection);
    const table = /^(?:insert into|update|delete from) `(\w+)`/i.exec(sql)?.[1];
    if (written && table === 'cumulet_revisions')
      for (const value of bindings) written.revisions.add(String(value).replace(/\.\d+$/, ''));
    // Some services keep other values in the table of their settings.
    const isOther = table?.endsWith('_settings') && !bindings.includes('settings');
    if (written && table && !isOther && !exempt.some((pattern) => pattern.test(sql)))
      written.tables.add(table);
    if (!/^(?:COMMIT|ROLLBACK)\b(?! TO)/.test(sql)) return;
    open.delete(connection);
    if (written && sql.startsWith('COMMIT')) problems.push(...missingRevisions(written));
  });
}

/** The revision of a table; that of a service's settings is named after the service. */
const expectedFor = (table: string): string | undefined =>
  revisionOf[table] ?? /^(\w+)_settings$/.exec(table)?.[1]?.concat('.settings');

function missingRevisions({ tables, revisions }: Written): string[] {
  if (revisions.has('everything')) return [];
  return [...tables].flatMap((table) => {
    const revision = expectedFor(table);
    return revision === undefined || revisions.has(revision)
      ? []
      : [`A transaction writes ${table} without a new revision of ${revision}.`];
  });
}
