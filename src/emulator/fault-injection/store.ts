// The rules by which requests fail, in the central database. All processes of a cloud go by them,
// and count in them.
import type { Micros } from '../../kernel/clock.ts';
import { notFound } from '../../kernel/errors.ts';
import type { Database, Db } from '../../kernel/db/database.ts';
import { bumpSharedRevision } from '../../kernel/db/state.ts';
import { transact } from '../../kernel/db/transaction.ts';

/** Which requests a rule is about: all that is given must hold. */
export interface FaultMatch {
  /** The service's name. A gateway has that of the service for which it stands. */
  readonly service?: string;
  /** Of services that regions have: central ones are in none. */
  readonly region?: string;
  readonly method?: string;
  /**
   * Below the service's prefix, without a project, in the language of access rules
   * (auth/access-rules.ts).
   */
  readonly path?: string;
  /** The operationId of api-ref, or the name of an action. */
  readonly operation?: string;
  /** Id or name. */
  readonly project?: string;
  /** Id or name. */
  readonly user?: string;
  readonly min_version?: string;
  readonly max_version?: string;
  /** By the header's name in lower case: a text that its value contains. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Requests that services send each other, and not those of clients. */
  readonly inside?: boolean;
}

/**
 * What a rule does to a request: a wait, then a refusal, or a connection that is closed without an
 * answer.
 */
export interface FaultEffect {
  readonly status?: number;
  readonly message?: string;
  /** The service's own error code. */
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delay_ms?: number;
  readonly drop?: boolean;
  /** `after`: the request is done and committed first, and its answer is lost. */
  readonly when?: 'before' | 'after';
}

/** A rule as it is asked for. */
export interface FaultPlan {
  readonly match: FaultMatch;
  readonly effect: FaultEffect;
  /** How many effects it has at most. */
  readonly count?: number;
  /** How many matches it lets pass first. */
  readonly skip?: number;
  readonly probability?: number;
  /** With it the same matches of a run have an effect as in any other run. */
  readonly seed?: string;
}

/** A rule, and how often it has matched and had an effect. */
export interface FaultRule extends FaultPlan {
  readonly id: number;
  readonly matched: number;
  readonly hit: number;
  readonly createdAt: Micros;
}

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

/** Adds a rule. @returns it with its id */
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

/** Deletes the rules that `goes` picks. @returns how many */
export async function deleteFaultRules(
  db: Db,
  goes: (rule: FaultRule) => boolean,
): Promise<number> {
  const ids = (await listFaultRules(db)).filter(goes).map(({ id }) => id);
  await bumpSharedRevision(db, 'faults.revision');
  return ids.length ? table(db).whereIn('id', ids).delete() : 0;
}

/**
 * Counts a match of each of these rules, in order, up to the first that has an effect which `ends`
 * the request. Whether a match has an effect is for `hits` to say, by the match's own number in
 * `matched` and the hits before it: of requests that race, in any number of processes, each gets a
 * number of its own. A rule that has been taken away meanwhile has no effect.
 * @returns the rules that have one
 */
export function countMatches(
  central: Database,
  rules: readonly FaultRule[],
  hits: (counted: FaultRule) => boolean,
  ends: (rule: FaultRule) => boolean,
): Promise<FaultRule[]> {
  return transact(central.db, async (db) => {
    const having: FaultRule[] = [];
    for (const { id } of rules) {
      // The write comes before the read: others wait for it, and none of them reads the same
      // number.
      if (!(await table(db).where({ id }).increment('matched'))) continue;
      const rule = (await findFaultRule(db, id))!;
      if (!hits(rule)) continue;
      await table(db).where({ id }).increment('hit');
      having.push(rule);
      if (ends(rule)) break;
    }
    return having;
  });
}

/** The refusal for a rule that there is not. */
export const unknownFaultRule = (id: number | string) =>
  notFound(`There is no fault '${id}'. GET /_emulator/faults lists those that there are.`);
