// What the lists of volumes, snapshots and attachments have in common: conditions, an order, and where a page begins.
import type { Knex } from 'knex';
import type { Db } from '../../../kernel/db/database.ts';

export interface Condition {
  readonly column: string;
  readonly operator: '=' | '<>' | '<' | '<=' | '>' | '>=' | 'like' | 'contains' | 'never';
  readonly value: string | number | null;
}

export interface Listing {
  /** Undefined where all projects are asked for. */
  readonly projectId: string | undefined;
  readonly conditions: readonly Condition[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly sort: readonly { readonly column: string; readonly direction: 'asc' | 'desc' }[];
  readonly after: Readonly<Record<string, unknown>> | undefined;
  readonly limit: number;
  readonly offset: number;
}

const numbers: ReadonlySet<string> = new Set(['size', 'created_at', 'updated_at', 'attached_at', 'bootable', 'multiattach']);

/** Narrows a query to what passes every filter. */
export function narrow(
  db: Db,
  query: Knex.QueryBuilder,
  table: string,
  listing: Omit<Listing, 'sort' | 'after' | 'limit' | 'offset'>,
): void {
  if (listing.projectId !== undefined) void query.where(`${table}.project_id`, listing.projectId);
  for (const { column, operator, value } of listing.conditions) {
    if (operator === 'never') void query.whereRaw('1 = 0');
    else if (value === null) void query.whereNull(`${table}.${column}`);
    else if (operator === 'contains') void query.whereRaw(`instr(${table}.${column}, ?) > 0`, [value]);
    else if (operator === 'like') void query.whereRaw(`instr(lower(${table}.${column}), lower(?)) > 0`, [value]);
    else void query.where(`${table}.${column}`, operator, value);
  }
  for (const [name, value] of Object.entries(listing.metadata))
    void query.whereIn(`${table}.id`, db('volume_metadata').where({ name, value }).select('subject_id'));
}

/** Puts a query in order and cuts the page out of it. */
export function page(query: Knex.QueryBuilder, table: string, { sort, after, limit, offset }: Listing): void {
  const place = (column: string): string => `coalesce(${table}.${column}, ${numbers.has(column) ? -1 : "''"})`;
  for (const { column, direction } of sort) void query.orderByRaw(`${place(column)} ${direction}`);
  if (after) {
    const valueOf = (column: string): string | number => (after[column] ?? (numbers.has(column) ? -1 : '')) as string | number;
    void query.where((either) => {
      sort.forEach(({ column, direction }, index) => {
        void either.orWhere((all) => {
          for (const same of sort.slice(0, index)) void all.whereRaw(`${place(same.column)} = ?`, [valueOf(same.column)]);
          void all.whereRaw(`${place(column)} ${direction === 'asc' ? '>' : '<'} ?`, [valueOf(column)]);
        });
      });
    });
  }
  void query.limit(limit).offset(offset);
}

/** What narrows a count. */
export type Counting = Pick<Listing, 'projectId' | 'conditions' | 'metadata'>;

/** How many things there are, and how large they are together, in GiB. */
export interface Counted {
  readonly count: number;
  readonly size: number;
}

/** Counts the rows of a table. */
export async function countListed(db: Db, table: string, listing: Counting): Promise<Counted> {
  const query = db(table).count('* as count').sum('size as size');
  narrow(db, query, table, listing);
  const [row] = (await query) as { count: number; size: number | null }[];
  return { count: Number(row!.count), size: Number(row!.size ?? 0) };
}
