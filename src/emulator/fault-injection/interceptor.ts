// Applies fault rules to requests, before and after their handlers.
import { renderError } from '../../kernel/http/render-error.ts';
import { isInDatabase } from '../../kernel/db/transaction.ts';
import { fractionFor, newFraction } from '../../kernel/ids.ts';
import type { Context, Interceptor, Reply, RoutedRequest } from '../../kernel/model.ts';
import { endsRequest, errorOf, kindsOf, type EffectKind } from './effects.ts';
import { matches } from './matching.ts';
import type { FaultRule } from './model.ts';
import { syncFaultRules } from './rules.ts';
import { countMatches } from './store.ts';

/**
 * Injects faults into requests that have passed their service's checks: a request that the service
 * rejects anyway matches no rule. Matching rules apply from the oldest on, until one ends the
 * request; a rule that only delays the request, or changes its reply, need not.
 */
export const faultInjection: Interceptor = {
  refresh(cloud, { faultsRevision }) {
    if (faultsRevision !== cloud.faultRules.revision) return syncFaultRules(cloud);
  },
  aroundHandler(call, next) {
    const { rules } = call.cloud.faultRules;
    const isExempt = call.service.definition.database === 'none' || call.isUnobserved;
    if (!rules.length || isExempt) return next();
    const matching = rules.filter(({ match }) => matches(match, call));
    return matching.length ? runWithFaults(matching, call, next) : next();
  },
  beforeServiceCall(context, call) {
    if (context.cloud.faultRules.rules.length) return injectFaultsInServiceCall(context, call());
  },
  mayAffectServiceCalls: ({ faultRules }) => faultRules.rules.some(appliesToServiceCalls),
};

async function runWithFaults(
  rules: readonly FaultRule[],
  request: RoutedRequest,
  next: () => Promise<Reply>,
): Promise<Reply> {
  const hits = await countMatches(request.cloud.central, rules, hasEffect, ends);
  if (hits.length) request.faultRules = hits.map(({ id }) => id);
  const faults = hits.flatMap((rule) => kindsOf(rule.effect).map((kind) => ({ rule, kind })));
  const replaced = await applyEffects(
    faults.filter((fault) => !appliesAfterHandler(fault)),
    request,
  );
  if (replaced) return replaced;
  const late = faults.filter(appliesAfterHandler);
  if (!late.length) return next();
  const reply = await next().catch((error: unknown) => renderError(request, error));
  return (await applyEffects(late, request, reply)) ?? reply;
}

/** One kind of effect that a rule has on the request. */
interface Fault {
  readonly rule: FaultRule;
  readonly kind: EffectKind;
}

/**
 * Applies effects in order, until one ends the request.
 * @param reply the handler's reply, if the handler has run
 * @returns the reply to send; undefined if the handler must still produce it
 */
async function applyEffects(
  faults: readonly Fault[],
  request: RoutedRequest,
  reply?: Reply,
): Promise<Reply | undefined> {
  let current = reply;
  for (const { rule, kind } of faults) {
    if (kind.endsRequest) {
      request.faultRule = rule.id;
      request.logFields = { fault: rule.id };
    }
    if (kind.appliesTo === 'request') current = (await kind.apply(rule.effect, request)) ?? current;
    else if (current) current = await kind.apply(rule.effect, request, current);
    if (kind.endsRequest) return current;
  }
  return current;
}

const isAfterHandler = ({ effect }: FaultRule): boolean => effect.when === 'after';

/** Only errors apply to calls from one service to another, instead of their handlers. */
const appliesToServiceCalls = (rule: FaultRule): boolean =>
  rule.effect.status !== undefined && !isAfterHandler(rule);

const appliesAfterHandler = ({ rule, kind }: Fault): boolean =>
  kind.appliesTo === 'reply' || isAfterHandler(rule);

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
  if (call.isUnobserved) return;
  const { central, faultRules } = context.cloud;
  const rules = faultRules.rules.filter(
    (rule) => appliesToServiceCalls(rule) && matches(rule.match, call),
  );
  if (!rules.length || isInDatabase(context.db, central)) return;
  const [hit] = await countMatches(central, rules, hasEffect, ends);
  if (!hit) return;
  call.faultRules = [hit.id];
  throw errorOf(hit.effect);
}
