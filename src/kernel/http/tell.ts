// Telling what was thrown: as the service that was asked does.
import { asFault, isDeadlock } from '../db/errors.ts';
import { Fault } from '../fault.ts';
import type { Call, Reply } from '../model.ts';
import { reply } from './reply.ts';

/** The reply for a thrown error, in the service's error format. */
export function tellFault(call: Call, error: unknown): Reply {
  let fault = asFault(error);
  if (!(fault instanceof Fault)) {
    call.cloud.log.error({ err: fault, request: call.requestId, method: call.method, path: call.path }, 'unexpected error');
    fault = new Fault(
      500,
      'An unexpected error prevented the server from fulfilling your request. The log of the emulator has the details.',
    );
  } else if (isDeadlock(error)) {
    call.cloud.log.warn({ err: error, request: call.requestId }, 'the database stayed busy');
  }
  return call.service ? call.service.card.tell(fault as Fault, call) : plainFault(fault as Fault);
}

/** The reply where no service has been found. */
function plainFault(fault: Fault): Reply {
  return reply(fault.status, { error: { code: fault.status, message: fault.message } }, fault.details.headers);
}
