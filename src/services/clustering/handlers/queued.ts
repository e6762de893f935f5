// The answers to requests that only queue an action.
import { accepted } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import { isMap } from '../domain/requests/fields.ts';
import { boolParameter } from '../domain/requests/lists.ts';
import { booleanField } from '../domain/requests/fields.ts';
import { baseOf } from '../views/versions.ts';
import type { ClusteringCall } from '../call.ts';

/** 202 with where the action is. */
export const queued = (
  call: ClusteringCall,
  { id }: { readonly id: string },
  body: unknown = { action: id },
): Reply =>
  accepted(body === null ? 'null' : body, { location: `${baseOf(call)}/v1/actions/${id}` });

/** Whether a deletion is forced: by the query, or by the body from 1.8 on. @throws 400 */
export function isForced({ query, body, version }: ClusteringCall): boolean {
  if (query.has('force')) return boolParameter(query, 'force', false);
  const force = version.has('1.8') && isMap(body) ? body['force'] : undefined;
  return force === undefined || force === null
    ? false
    : (booleanField.read(force, 'force') as boolean);
}
