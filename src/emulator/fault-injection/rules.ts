// Adding and removing fault rules, and keeping this process's cache of them up to date.
// interceptor.ts applies them to requests.
import { emulatedNow, pause } from '../../kernel/clock.ts';
import { sharedStateMaxAge } from '../../kernel/db/state.ts';
import { transact } from '../../kernel/db/transaction.ts';
import { badRequest, notFound } from '../../kernel/errors.ts';
import type { Cloud } from '../../kernel/model.ts';
import { syncRegions } from '../../kernel/regions.ts';
import { effectProblem } from './effects.ts';
import { checkMatch } from './matching.ts';
import type { FaultEffect, FaultPlan, FaultRule, FaultScope } from './model.ts';
import { deleteFaultRules, insertFaultRule, listFaultRules } from './store.ts';

/**
 * Adds a rule. When this returns, the rule is active in all processes.
 * @throws 400 for an invalid rule, or one that no request can match
 */
export async function addFaultRule(cloud: Cloud, plan: FaultPlan): Promise<FaultRule> {
  return (await addFaultRules(cloud, [plan]))[0]!;
}

/** Adds rules, all of them or none. @throws 400 if one of them is invalid */
export async function addFaultRules(
  cloud: Cloud,
  plans: readonly FaultPlan[],
): Promise<readonly FaultRule[]> {
  await syncRegions(cloud);
  for (const plan of plans) checkPlan(cloud, plan);
  const now = emulatedNow((await cloud.sharedState.refresh()).clock);
  const rules = await transact(cloud.central.db, async (db) => {
    const inserted: FaultRule[] = [];
    for (const plan of plans) inserted.push(await insertFaultRule(db, normalized(plan), now));
    return inserted;
  });
  cloud.sharedState.invalidate();
  // Until then, other processes may still use the rules that they have cached.
  if (cloud.central.kind === 'mysql') await pause(sharedStateMaxAge + 1);
  return rules;
}

/** @throws 400 */
function checkPlan(cloud: Cloud, plan: FaultPlan): void {
  checkMatch(cloud, plan.match);
  const problem = effectProblem(plan.effect);
  if (problem !== undefined) throw badRequest(problem);
  if (plan.seed !== undefined && plan.probability === undefined)
    throw badRequest('A seed has no use without a probability. Give probability too.');
}

const normalized = (plan: FaultPlan): FaultPlan => ({
  ...plan,
  match: withLowerCaseHeaders(plan.match),
  effect: withLowerCaseHeaders(plan.effect),
});

/** Converts the names of headers to lower case, as Node.js presents those of requests. */
function withLowerCaseHeaders<T extends Pick<FaultEffect, 'headers'>>(part: T): T {
  if (!part.headers) return part;
  return {
    ...part,
    headers: Object.fromEntries(
      Object.entries(part.headers).map(([name, value]) => [name.toLowerCase(), value]),
    ),
  };
}

/** Refreshes this process's cached rules if any process has changed them. */
export async function syncFaultRules({
  sharedState: shared,
  central,
  faultRules: faults,
}: Cloud): Promise<void> {
  const { faultsRevision } = await shared.read();
  if (faultsRevision === faults.revision) return;
  const rules = await listFaultRules(central.db);
  // Another request of this process may have read newer rules in the meantime.
  if (faultsRevision > faults.revision) Object.assign(faults, { revision: faultsRevision, rules });
}

/**
 * Removes the rules that match nothing outside the scope. They have no effect in any process from
 * then on, because counting a match finds the rule gone.
 */
export async function removeFaultRules(
  cloud: Cloud,
  { region, service }: FaultScope = {},
): Promise<void> {
  const isInScope = ({ match }: FaultRule): boolean =>
    (region === undefined || match.region === region) &&
    (service === undefined || match.service === service);
  await transact(cloud.central.db, (db) => deleteFaultRules(db, isInScope));
  cloud.sharedState.invalidate();
}

/** Removes a rule. @throws 404 */
export async function removeFaultRule(cloud: Cloud, id: number): Promise<void> {
  const removed = await transact(cloud.central.db, (db) =>
    deleteFaultRules(db, (rule) => rule.id === id),
  );
  cloud.sharedState.invalidate();
  if (!removed) throw unknownFaultRule(id);
}

/** The error for an unknown rule. */
export const unknownFaultRule = (id: number | string) =>
  notFound(`No fault rule '${id}'. GET /_emulator/faults lists the existing rules.`);
