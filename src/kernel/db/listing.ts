// What a list holds: equality filters, further conditions, the order and the page.
import type { Knex } from 'knex';
import type { Field } from './columns.ts';

/**
 * Equality conditions on fields, all of which hold. Null matches NULL; a list matches any of its
 * values.
 */
export type Where<T> = { readonly [F in keyof T]?: T[F] | readonly T[F][] };

/** The same for lists, where undefined matches every value. */
export type Filter<T> = { readonly [F in keyof T]?: T[F] | readonly T[F][] | undefined };

/**
 * Adds to a query what `where` cannot express. Column names must be qualified if the table has
 * joins.
 */
export type Condition = (query: Knex.QueryBuilder) => void;

export interface Sort<T> {
  readonly field: Field<T>;
  readonly descending?: boolean;
  /** The value that NULL sorts as. Without it, NULL sorts before every value. */
  readonly fill?: string | number | undefined;
}

/** Which records a list holds, and in which order. */
export interface Listing<T> {
  readonly where?: Filter<T>;
  readonly conditions?: readonly Condition[];
  /**
   * Fields to sort by, the most significant first. The key is always added, so that the order is
   * total.
   */
  readonly sort?: readonly (Field<T> | Sort<T>)[];
  /** The list begins after this record, of which only the sort fields and the key are read. */
  readonly after?: Readonly<Partial<T>> | undefined;
  /** Reads the end of the list, or the records before `after`, still in the list's order. */
  readonly reverse?: boolean;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** Restricts a query to rows whose column has one of the values. */
export function whereOneOf(
  query: Knex.QueryBuilder,
  column: string,
  values: readonly (string | number | null)[],
): void {
  const known = values.filter((value) => value !== null);
  if (known.length < values.length)
    void query.where((either) => void either.whereNull(column).orWhereIn(column, known));
  else if (known.length === 1) void query.where(column, known[0]!);
  else void query.whereIn(column, known);
}

/** @throws Error if a condition is undefined, and would match (and perhaps delete) every row */
export function definite<T>(where: Where<T>): Where<T> {
  for (const [field, value] of Object.entries(where))
    if (value === undefined) throw new Error(`The condition on ${field} is undefined`);
  return where;
}
