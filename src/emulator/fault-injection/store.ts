// Fault rules in the central database, where all processes of a cloud share them and their
// counters.
import type { Micros } from '../../kernel/clock.ts';
import { integer, jsonObject, micros } from '../../kernel/db/columns.ts';
import type { Database, Db } from '../../kernel/db/database.ts';
import { bumpSharedRevisions } from '../../kernel/db/state.ts';
import { Table } from '../../kernel/db/table.ts';
import { transact } from '../../kernel/db/transaction.ts';
import type { FaultPlan, FaultRule } from './model.ts';

interface StoredRule {
  readonly id: number;
  readonly rule: FaultPlan;
  readonly matched: number;
  readonly hit: number;
  readonly createdAt: Micros;
}

const rules = new Table<StoredRule, 'id'>(
  'faults',
  { id: integer, rule: jsonObject(), matched: integer, hit: integer, createdAt: micros },
  { generated: 'id' },
);

const recordOf = ({ rule, ...counters }: StoredRule): FaultRule => ({ ...rule, ...counters });

/** All rules, the oldest first. */
export const listFaultRules = async (db: Db): Promise<FaultRule[]> =>
  (await rules.list(db)).map(recordOf);

export async function findFaultRule(db: Db, id: number): Promise<FaultRule | undefined> {
  const found = await rules.find(db, { id });
  return found && recordOf(found);
}

/** Adds a rule. @returns the stored rule with its id */
export async function insertFaultRule(
  db: Db,
  plan: FaultPlan,
  createdAt: Micros,
): Promise<FaultRule> {
  const counters = { matched: 0, hit: 0, createdAt };
  const [id] = await rules.insert(db, { rule: plan, ...counters });
  await bumpSharedRevisions(db, 'faults.revision');
  return { ...plan, id: id!, ...counters };
}

/** Deletes the rules that `isSelected` accepts. @returns how many were deleted */
export async function deleteFaultRules(
  db: Db,
  isSelected: (rule: FaultRule) => boolean,
): Promise<number> {
  const ids = (await listFaultRules(db)).filter(isSelected).map(({ id }) => id);
  await bumpSharedRevisions(db, 'faults.revision');
  return ids.length ? rules.remove(db, { id: ids }) : 0;
}

/**
 * Counts a match for each of these rules, in order, and stops after the first rule that has an
 * effect and `ends` the request. `hasEffect` decides by the rule's counters, in which `matched`
 * already includes this match. Concurrent requests, in any number of processes, each get a number
 * of their own. A rule that has been deleted since has no effect.
 * @returns the rules that affect the request
 */
export function countMatches(
  central: Database,
  candidates: readonly FaultRule[],
  hasEffect: (counted: FaultRule) => boolean,
  ends: (rule: FaultRule) => boolean,
): Promise<FaultRule[]> {
  return transact(central.db, async (db) => {
    const effective: FaultRule[] = [];
    for (const { id } of candidates) {
      // Write before reading: the row stays locked, so no other transaction reads the same number.
      if (!(await db(rules.name).where({ id }).increment('matched'))) continue;
      const rule = (await findFaultRule(db, id))!;
      if (!hasEffect(rule)) continue;
      await db(rules.name).where({ id }).increment('hit');
      effective.push(rule);
      if (ends(rule)) break;
    }
    return effective;
  });
}
