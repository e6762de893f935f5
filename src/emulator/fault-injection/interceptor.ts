// Applies fault rules to requests, before and after their handlers.
import { renderError } from '../../kernel/http/render-error.ts';
import { isInDatabase } from '../../kernel/db/transaction.ts';
import { fractionFor, newFraction } from '../../kernel/ids.ts';
import type { Context, Interceptor, Reply, RoutedRequest } from '../../kernel/model.ts';
import { endsRequest, errorOf, kindsOf } from './effects.ts';
import { matches } from './matching.ts';
import type { FaultRule } from './model.ts';
import { syncFaultRules } from './rules.ts';
import { countMatches } from './store.ts';

/**
 * Injects faults into requests that have passed their service's checks: a request that the service
 * rejects anyway matches no rule. Matching rules apply from the oldest on, until one ends the
 * request; a rule that only delays the request does not.
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
  const replaced = await applyEffects(
    hits.filter((rule) => !isAfterHandler(rule)),
    call,
  );
  if (replaced) return replaced;
  const late = hits.filter(isAfterHandler);
  if (!late.length) return next();
  const response = await next().catch((error: unknown) => renderError(call, error));
  return (await applyEffects(late, call, response)) ?? response;
}

/**
 * Applies the effects of these rules, in order.
 * @param response the handler's response, if it has run
 * @returns the response to send instead, if an effect ends the request
 */
async function applyEffects(
  rules: readonly FaultRule[],
  call: RoutedRequest,
  response?: Reply,
): Promise<Reply | undefined> {
  for (const { id, effect } of rules) {
    for (const kind of kindsOf(effect)) {
      if (kind.endsRequest) {
        call.faultRule = id;
        call.logFields = { fault: id };
      }
      const replaced = await kind.apply(effect, call, response);
      if (replaced) return replaced;
    }
  }
  return undefined;
}

const isAfterHandler = ({ effect }: FaultRule): boolean => effect.when === 'after';

/** Whether no later rule applies. */
const ends = ({ effect }: FaultRule): boolean => endsRequest(effect);

/** Whether a rule affects the request whose match is the latest one counted in `matched`. */
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

/**
 * Injects faults into a call from one service to another. Only errors apply: there is no connection
 * to drop, and a delay would block other transactions. If the caller's transaction is retried, the
 * call matches, and is counted, again. Calls from a transaction on the central database are exempt,
 * because a rollback would undo the counters.
 * @throws ApiError
 */
async function injectFaultsInServiceCall(context: Context, call: RoutedRequest): Promise<void> {
  const { central, faultRules } = context.cloud;
  const rules = faultRules.rules.filter(
    (rule) =>
      rule.effect.status !== undefined && !isAfterHandler(rule) && matches(rule.match, call),
  );
  if (!rules.length || isInDatabase(context.db, central)) return;
  const [hit] = await countMatches(central, rules, hasEffect, ends);
  if (!hit) return;
  call.faultRules = [hit.id];
  throw errorOf(hit.effect);
}
