// Computes the usages of a project or one of its users, by resource class, and from 1.38 on also by
// consumer type.
import type { Db } from '../../../kernel/db/database.ts';
import { classTable, namesOf } from '../store/names.ts';
import { countConsumers, sumUsages } from '../store/usages.ts';
import type { Amounts, Usage } from '../model.ts';

/** Selects the consumers of a project, or of one of its users. */
export interface UsageFilter {
  readonly projectId: string;
  readonly userId: string | undefined;
}

/** The usages of some consumers, and the number of these consumers. */
export interface ConsumerUsages {
  readonly usages: Amounts;
  readonly consumers: number;
}

/** Sums the usages of all consumers. */
export async function totalUsages(db: Db, { projectId, userId }: UsageFilter): Promise<Amounts> {
  const usages = await sumUsages(db, projectId, userId);
  return amountsOf(usages, await classNamesOf(db, usages));
}

/**
 * Sums the usages by consumer type. Consumers without a type are listed as `unknown`.
 * @param type a single type to list; `all` sums all types; undefined lists each type
 */
export async function usagesByType(
  db: Db,
  { projectId, userId }: UsageFilter,
  type: string | undefined,
): Promise<ReadonlyMap<string, ConsumerUsages>> {
  const usages = await sumUsages(db, projectId, userId);
  const names = await classNamesOf(db, usages);
  const counts = await countConsumers(db, projectId, userId);
  const ofTypes = (types: readonly (string | null)[]): ConsumerUsages => ({
    usages: amountsOf(
      usages.filter(({ typeName }) => types.includes(typeName)),
      names,
    ),
    consumers: types.reduce((sum, typeName) => sum + (counts.get(typeName) ?? 0), 0),
  });
  const types = [...new Set(usages.map(({ typeName }) => typeName))];
  if (!types.length) return new Map();
  if (type === 'all') return new Map([['all', ofTypes(types)]]);
  const listed = types.filter((typeName) => type === undefined || (typeName ?? 'unknown') === type);
  return new Map(listed.map((typeName) => [typeName ?? 'unknown', ofTypes([typeName])]));
}

const classNamesOf = (db: Db, usages: readonly Usage[]): Promise<Map<number, string>> =>
  namesOf(
    db,
    classTable,
    usages.map(({ classId }) => classId),
  );

function amountsOf(usages: readonly Usage[], names: ReadonlyMap<number, string>): Amounts {
  const amounts: Record<string, number> = {};
  for (const { classId, used } of usages) {
    const name = names.get(classId)!;
    amounts[name] = (amounts[name] ?? 0) + used;
  }
  return amounts;
}
