// Fault rules in the central database, where all processes of a cloud share them and their counters.
import type { Micros } from '../../kernel/clock.ts';
import type { Database, Db } from '../../kernel/db/database.ts';
import { bumpSharedRevision } from '../../kernel/db/state.ts';
import { transact } from '../../kernel/db/transaction.ts';
import type { FaultPlan, FaultRule } from './model.ts';

export type { FaultPlan, FaultRule } from './model.ts';

interface Row {
  id: number;
  rule: string;
  matched: number;
  hit: number;
  created_at: number;
}

const table = (db: Db) => db<Row>('faults');

const recordOf = ({ id, rule, matched, hit, created_at }: Row): FaultRule => ({
  ...(JSON.parse(rule) as FaultPlan),
  id,
  matched: Number(matched),
  hit: Number(hit),
  createdAt: Number(created_at),
});

/** All rules, the oldest first. */
export const listFaultRules = async (db: Db): Promise<FaultRule[]> =>
  (await table(db).orderBy('id')).map(recordOf);

export async function findFaultRule(db: Db, id: number): Promise<FaultRule | undefined> {
  const row = await table(db).where({ id }).first();
  return row && recordOf(row);
}

/** Adds a rule. @returns the stored rule with its id */
export async function insertFaultRule(
  db: Db,
  plan: FaultPlan,
  createdAt: Micros,
): Promise<FaultRule> {
  const [id] = await table(db).insert({
    rule: JSON.stringify(plan),
    matched: 0,
    hit: 0,
    created_at: createdAt,
  });
  await bumpSharedRevision(db, 'faults.revision');
  return { ...plan, id: id!, matched: 0, hit: 0, createdAt };
}

/** Deletes the rules that `isSelected` accepts. @returns how many were deleted */
export async function deleteFaultRules(
  db: Db,
  isSelected: (rule: FaultRule) => boolean,
): Promise<number> {
  const ids = (await listFaultRules(db)).filter(isSelected).map(({ id }) => id);
  await bumpSharedRevision(db, 'faults.revision');
  return ids.length ? table(db).whereIn('id', ids).delete() : 0;
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
  rules: readonly FaultRule[],
  hasEffect: (counted: FaultRule) => boolean,
  ends: (rule: FaultRule) => boolean,
): Promise<FaultRule[]> {
  return transact(central.db, async (db) => {
    const effective: FaultRule[] = [];
    for (const { id } of rules) {
      // Write before reading: the row stays locked, so no other transaction reads the same number.
      if (!(await table(db).where({ id }).increment('matched'))) continue;
      const rule = (await findFaultRule(db, id))!;
      if (!hasEffect(rule)) continue;
      await table(db).where({ id }).increment('hit');
      effective.push(rule);
      if (ends(rule)) break;
    }
    return effective;
  });
}
