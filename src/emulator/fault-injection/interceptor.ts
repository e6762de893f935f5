// How a request fails on demand: what a rule does before the work of a request, and after it.
import { pauseUnref } from '../../kernel/clock.ts';
import { countMatches, type FaultRule } from './store.ts';
import { isInDatabase } from '../../kernel/db/transaction.ts';
import { ApiError } from '../../kernel/errors.ts';
import { fractionFor, newFraction } from '../../kernel/ids.ts';
import type { Context, Interceptor, Reply, RoutedRequest } from '../../kernel/model.ts';
import { syncFaultRules } from './rules.ts';
import { matches } from './matching.ts';
import { sentenceFor } from './plans.ts';
import { dropped } from '../../kernel/http/reply.ts';
import { renderError } from '../../kernel/http/render-error.ts';

/**
 * Does the work of a request as the rules have it. A service has let the request in: what it
 * refuses, it refuses as ever, and no rule counts it. Of the rules that match the oldest comes
 * first; one that only delays lets those after it have their say.
 */
export const faultInjection: Interceptor = {
  refresh(cloud, { faultsRevision }) {
    if (faultsRevision !== cloud.faultRules.revision) return syncFaultRules(cloud);
  },
  aroundHandler(call, next) {
    const { rules } = call.cloud.faultRules;
    if (!rules.length || call.service.definition.database === 'none') return next();
    const matching = rules.filter(({ match }) => matches(match, call));
    return matching.length ? runWithFaults(matching, call, next) : next();
  },
  beforeServiceCall(context, call) {
    if (context.cloud.faultRules.rules.length) return injectFaultsInServiceCall(context, call());
  },
};

async function runWithFaults(
  rules: readonly FaultRule[],
  call: RoutedRequest,
  next: () => Promise<Reply>,
): Promise<Reply> {
  const hits = await countMatches(call.cloud.central, rules, hasEffect, ends);
  if (hits.length) call.faultRules = hits.map(({ id }) => id);
  const early = hits.filter((rule) => !isAfterHandler(rule));
  const ended = await applyFaults(early, call);
  if (ended) return ended;
  const late = hits.filter(isAfterHandler);
  if (!late.length) return next();
  const answered = await next().catch((error: unknown) => renderError(call, error));
  return (await applyFaults(late, call)) ?? answered;
}

/** Waits as the rules say. @returns how the one ends the request that does */
async function applyFaults(
  rules: readonly FaultRule[],
  call: RoutedRequest,
): Promise<Reply | undefined> {
  // Real time, because that is what clients' own limits go by; a process that is told to stop does
  // not wait for it.
  for (const { effect } of rules) if (effect.delay_ms) await pauseUnref(effect.delay_ms);
  const ending = rules.find(ends);
  if (!ending) return undefined;
  call.faultRule = ending.id;
  call.logFields = { fault: ending.id };
  if (ending.effect.drop) return dropped;
  const told = renderError(call, errorOf(ending));
  // Not every service has a header on its refusals.
  return { ...told, headers: { ...told.headers, ...ending.effect.headers } };
}

const isAfterHandler = ({ effect }: FaultRule): boolean => effect.when === 'after';

/** Whether a rule leaves nothing for those after it. */
const ends = ({ effect }: FaultRule): boolean =>
  effect.status !== undefined || effect.drop === true;

/** Whether a match of a rule, which is counted in `matched`, has an effect. */
function hasEffect({
  matched,
  hit,
  skip = 0,
  count = Infinity,
  probability = 1,
  seed,
}: FaultRule): boolean {
  if (matched <= skip || hit >= count) return false;
  return (
    probability === 1 ||
    (seed === undefined ? newFraction() : fractionFor(`${seed} ${matched}`)) < probability
  );
}

function errorOf({
  effect: { status = 500, message = sentenceFor(status), code, headers = {} },
}: FaultRule): ApiError {
  return new ApiError(status, message, { headers, ...(code === undefined ? {} : { code }) });
}

/**
 * The same for what one service asks another inside: refusals only, because there is no connection,
 * and a wait would hold up everybody's transactions. A transaction that is run again asks, and is
 * counted, again. Work in the central database is left alone: the count would be undone with it.
 * @throws Fault
 */
async function injectFaultsInServiceCall(context: Context, call: RoutedRequest): Promise<void> {
  const { central, faultRules: faults } = context.cloud;
  const refusals = faults.rules.filter(
    (rule) => rule.effect.status !== undefined && !isAfterHandler(rule),
  );
  const rules = refusals.filter(({ match }) => matches(match, call));
  if (!rules.length || isInDatabase(context.db, central)) return;
  const [hit] = await countMatches(central, rules, hasEffect, ends);
  if (!hit) return;
  call.faultRules = [hit.id];
  throw errorOf(hit);
}
