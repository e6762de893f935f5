// Creates requests in their first stage: see IncomingRequest.
import { anonymous } from '../context.ts';
import { newRequestId } from '../ids.ts';
import type { Cloud, IncomingRequest, LocatedRequest } from '../model.ts';
import { Query } from '../query.ts';

type Given = Pick<
  IncomingRequest,
  'method' | 'headers' | 'remoteAddress' | 'origin' | 'region' | 'service' | 'received'
>;

/** A request for a URL, such as `/placement/traits?name=in:A`. */
export function newRequest(cloud: Cloud, url: string, given: Given): IncomingRequest {
  const questionMark = url.indexOf('?');
  return {
    cloud,
    requestId: newRequestId(),
    actor: anonymous,
    prefix: '',
    path: questionMark < 0 ? url : url.slice(0, questionMark),
    query: new Query(questionMark < 0 ? '' : url.slice(questionMark + 1)),
    params: {},
    ...given,
  };
}

/** Whether the service of the request is known. */
export const isLocated = (request: IncomingRequest): request is LocatedRequest =>
  request.service !== undefined;
