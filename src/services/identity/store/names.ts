// How names are compared: without regard to case.
import type { Condition } from '../../../kernel/db/listing.ts';

/**
 * The form of a name that is unique within its owner and by which it is looked up. It ignores case,
 * like the collations of upstream's tables on MySQL.
 */
export const nameKey = (name: string): string => name.toLowerCase();

/** Computes the column `name_key` when a record's name is written. */
export const nameKeyColumn = ({
  name,
}: {
  readonly name?: string;
}): Readonly<Record<string, string>> => (name === undefined ? {} : { name_key: nameKey(name) });

/** Restricts a query to one name, if one is given. */
export const nameConditions = (name: string | undefined): Condition[] =>
  name === undefined ? [] : [(query) => void query.where({ name_key: nameKey(name) })];
