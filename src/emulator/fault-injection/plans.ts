// Adding a rule by which requests fail: what it may say, and what is said where it may not.
import { STATUS_CODES } from 'node:http';
import { emulatedNow, pause } from '../../kernel/clock.ts';
import { insertFaultRule, type FaultEffect, type FaultPlan, type FaultRule } from './store.ts';
import { sharedStateMaxAge } from '../../kernel/db/state.ts';
import { transact } from '../../kernel/db/transaction.ts';
import { badRequest } from '../../kernel/errors.ts';
import type { Cloud } from '../../kernel/model.ts';
import { checkMatch } from './matching.ts';
import { syncRegions } from '../../kernel/regions.ts';

/**
 * Adds a rule. Once this returns it is in force in all processes.
 * @throws 400 for one that cannot be, or never matches
 */
export async function addFaultRule(cloud: Cloud, plan: FaultPlan): Promise<FaultRule> {
  await syncRegions(cloud);
  checkMatch(cloud, plan.match);
  checkEffect(plan);
  const now = emulatedNow((await cloud.sharedState.refresh()).clock);
  const lowered = {
    ...plan,
    match: withLowerNames(plan.match),
    effect: withLowerNames(plan.effect),
  };
  const rule = await transact(cloud.central.db, (db) => insertFaultRule(db, lowered, now));
  cloud.sharedState.invalidate();
  // Other processes go by what they last read for so long.
  if (cloud.central.kind === 'mysql') await pause(sharedStateMaxAge + 1);
  return rule;
}

/** Names of headers in lower case, as requests have them. */
function withLowerNames<T extends Pick<FaultEffect, 'headers'>>(part: T): T {
  if (!part.headers) return part;
  return {
    ...part,
    headers: Object.fromEntries(
      Object.entries(part.headers).map(([name, value]) => [name.toLowerCase(), value]),
    ),
  };
}

/** Headers that say how a body is sent: the server sets them. */
const connectionHeaders = [
  'connection',
  'content-length',
  'keep-alive',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** @throws 400 for an effect that is none, or more than one end of a request */
function checkEffect({ effect, probability, seed }: FaultPlan): void {
  const { status, drop, delay_ms: delay, message, code, headers } = effect;
  if (status === undefined && !drop && delay === undefined)
    throw badRequest(
      'An effect is a status, drop: true, or a delay_ms, which also goes with either.',
    );
  if (status !== undefined && drop)
    throw badRequest('A connection that is dropped has no status. Leave one of the two out.');
  if (status === undefined && [message, code, headers].some((one) => one !== undefined))
    throw badRequest('message, code and headers are those of a refusal: give its status.');
  const owned = Object.keys(headers ?? {}).find((name) =>
    connectionHeaders.includes(name.toLowerCase()),
  );
  if (owned !== undefined)
    throw badRequest(`The header ${owned} says how the answer is sent, and is set by the server.`);
  if (seed !== undefined && probability === undefined)
    throw badRequest('A seed is for a probability: give that too.');
}

const sentences: Readonly<Record<number, string>> = {
  429: 'This request was rate-limited.',
  500: 'The server has either erred or is incapable of performing the requested operation.',
  503: 'The server is currently unavailable. Please try again at a later time.',
};

/** What a refusal says that is given no message. */
export const sentenceFor = (status: number): string =>
  sentences[status] ?? `${STATUS_CODES[status] ?? 'Error'}.`;
