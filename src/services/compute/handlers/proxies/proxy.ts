// What Compute passes on to other services of its region, and what it makes of their refusals.
import { STATUS_CODES } from 'node:http';
import { Fault } from '../../../../kernel/fault.ts';
import { askWithin, type InwardRequest } from '../../../../kernel/http/inward.ts';
import type { ComputeCall } from '../../call.ts';
import type { Card } from '../../../../kernel/model.ts';

/** What Compute says in the place of a refusal, by its status. */
export type Retold = Readonly<Record<number, (fault: Fault) => Fault>>;

/**
 * Asks another service for the caller, and gives back the body of its reply. A refusal that is not retold keeps its status and its
 * words: upstream answers 500 to most of those.
 */
export async function pass<T, V extends string = string>(
  call: ComputeCall,
  card: Card<V>,
  asked: InwardRequest,
  retold: Retold = {},
): Promise<T> {
  try {
    const { body } = await askWithin(call, card, asked);
    return (typeof body === 'string' ? JSON.parse(body) : body) as T;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { status, message, details } = error;
    const rule = details['rule'] === undefined ? {} : { rule: details['rule'] };
    throw retold[status]?.(error) ?? new Fault(status, message || STATUS_CODES[status]!, rule);
  }
}

/** A refusal of Image as its client's exceptions tell it. Upstream: glanceclient/exc.py. */
export const imageSays = ({ status, message }: Fault): string => `HTTP ${status} ${STATUS_CODES[status]}: ${message}`;

/** The same of Network's client. Upstream: neutronclient/common/exceptions.py. */
export const networkSays = (call: ComputeCall, { message }: Fault): string =>
  `${message}\nNeutron server returns request_ids: ['${call.requestId}']`;

/** The same of Volume's client. Upstream: cinderclient/exceptions.py. */
export const volumeSays = (call: ComputeCall, { status, message }: Fault): string =>
  `${message} (HTTP ${status}) (Request-ID: ${call.requestId})`;
