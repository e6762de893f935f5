// How a request fails on demand: what a rule does before the work of a request, and after it.
import { pauseIdly } from '../clock.ts';
import { countMatches, type FaultRule } from '../db/fault-list.ts';
import { isWithin } from '../db/transaction.ts';
import { Fault } from '../fault.ts';
import { fractionFor, newFraction } from '../ids.ts';
import type { Call, Reply, Work } from '../model.ts';
import { matches } from '../powers/fault-matches.ts';
import { sentenceFor } from '../powers/fault-plans.ts';
import { dropped } from './reply.ts';
import { tellFault } from './tell.ts';

/**
 * Does the work of a request as the rules have it. A service has let the request in: what it refuses, it refuses as ever, and no rule counts it.
 * Of the rules that match the oldest comes first; one that only delays lets those after it have their say.
 */
export const failing =
  (work: (call: Call) => Promise<Reply>) =>
  (call: Call): Promise<Reply> => {
    const { rules } = call.cloud.faults;
    if (!rules.length || call.service.card.home === 'process') return work(call);
    const matching = rules.filter(({ match }) => matches(match, call));
    return matching.length ? workUnder(matching, call, work) : work(call);
  };

async function workUnder(rules: readonly FaultRule[], call: Call, work: (call: Call) => Promise<Reply>): Promise<Reply> {
  const hits = await countMatches(call.cloud.central, rules, hasEffect, ends);
  if (hits.length) call.hitBy = hits.map(({ id }) => id);
  const early = hits.filter((rule) => !isLate(rule));
  const ended = await undergo(early, call);
  if (ended) return ended;
  const late = hits.filter(isLate);
  if (!late.length) return work(call);
  const answered = await work(call).catch((error: unknown) => tellFault(call, error));
  return (await undergo(late, call)) ?? answered;
}

/** Waits as the rules say. @returns how the one ends the request that does */
async function undergo(rules: readonly FaultRule[], call: Call): Promise<Reply | undefined> {
  // Real time, because that is what clients' own limits go by; a process that is told to stop does not wait for it.
  for (const { effect } of rules) if (effect.delay_ms) await pauseIdly(effect.delay_ms);
  const ending = rules.find(ends);
  if (!ending) return undefined;
  call.failedBy = ending.id;
  if (ending.effect.drop) return dropped;
  const told = tellFault(call, faultOf(ending));
  // Not every service has a header on its refusals.
  return { ...told, headers: { ...told.headers, ...ending.effect.headers } };
}

const isLate = ({ effect }: FaultRule): boolean => effect.when === 'after';

/** Whether a rule leaves nothing for those after it. */
const ends = ({ effect }: FaultRule): boolean => effect.status !== undefined || effect.drop === true;

/** Whether a match of a rule, which is counted in `matched`, has an effect. */
function hasEffect({ matched, hit, skip = 0, count = Infinity, probability = 1, seed }: FaultRule): boolean {
  if (matched <= skip || hit >= count) return false;
  return probability === 1 || (seed === undefined ? newFraction() : fractionFor(`${seed} ${matched}`)) < probability;
}

function faultOf({ effect: { status = 500, message = sentenceFor(status), code, headers = {} } }: FaultRule): Fault {
  return new Fault(status, message, { headers, ...(code === undefined ? {} : { code }) });
}

/**
 * The same for what one service asks another inside: refusals only, because there is no connection, and a wait would hold up everybody's
 * transactions. A transaction that is run again asks, and is counted, again. Work in the central database is left alone: the count would be undone with it.
 * @throws Fault
 */
export async function failWithin(work: Work, call: Call): Promise<void> {
  const { central, faults } = work.cloud;
  const refusals = faults.rules.filter((rule) => rule.effect.status !== undefined && !isLate(rule));
  const rules = refusals.filter(({ match }) => matches(match, call));
  if (!rules.length || isWithin(work.db, central)) return;
  const [hit] = await countMatches(central, rules, hasEffect, ends);
  if (!hit) return;
  call.hitBy = [hit.id];
  throw faultOf(hit);
}
