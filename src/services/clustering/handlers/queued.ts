// Replies to requests that only queue an action.
import { accepted } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import { booleanField, isMap } from '../domain/requests/fields.ts';
import { boolParameter } from '../domain/requests/lists.ts';
import { baseOf } from '../views/versions.ts';
import type { ClusteringCall } from '../call.ts';

/** 202 with the location of the action. */
export const queued = (
  call: ClusteringCall,
  { id }: { readonly id: string },
  body: unknown = { action: id },
): Reply =>
  accepted(body === null ? 'null' : body, { location: `${baseOf(call)}/v1/actions/${id}` });

/** Whether the query, or from 1.8 on the body, forces a deletion. @throws 400 */
export function isForced({ query, body, version }: ClusteringCall): boolean {
  if (query.has('force')) return boolParameter(query, 'force', false);
  const force = version.has('1.8') && isMap(body) ? body['force'] : undefined;
  return force === undefined || force === null
    ? false
    : (booleanField.read(force, 'force') as boolean);
}
