// Asking another service of the region as its clients do, and saying its refusals in Compute's words.
import { STATUS_CODES } from 'node:http';
import { Fault } from '../../../kernel/fault.ts';
import { askWithin, type InwardRequest } from '../../../kernel/http/inward.ts';
import type { Card, Work } from '../../../kernel/model.ts';

/** What Compute says in the place of a refusal, by the refusal's status. */
export type Rewording = Readonly<Record<number, (fault: Fault) => Fault>>;

/**
 * Asks another service for the actor of the work. @returns the body of its reply
 * @throws Fault as `rewording` has it; else with the status and the words of the other service: upstream answers 500 to most of those
 */
export async function askAs<T, V extends string>(
  work: Work,
  card: Card<V>,
  request: InwardRequest,
  rewording: Rewording = {},
): Promise<T> {
  try {
    const { body } = await askWithin(work, card, request);
    return (typeof body === 'string' ? JSON.parse(body) : body) as T;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { status, message, details } = error;
    const rule = details['rule'] === undefined ? {} : { rule: details['rule'] };
    throw rewording[status]?.(error) ?? new Fault(status, message || STATUS_CODES[status]!, rule);
  }
}
