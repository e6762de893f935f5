// The rules for routings: which resource is in which pod.
import { isDuplicate, isForeignKey } from '../../../kernel/db/errors.ts';
import { conflict, Fault } from '../../../kernel/fault.ts';
import type { Work } from '../../../kernel/model.ts';
import * as store from '../store/routings.ts';
import type { Routing, RoutingFields } from './records.ts';

/** Routes a resource to a pod. @throws 409; 500 for an unknown pod, as upstream */
export async function addRouting(work: Work, fields: RoutingFields): Promise<Routing> {
  try {
    return await store.insertRouting(work.db, fields, work.now);
  } catch (error) {
    if (isDuplicate(error)) throw conflict('Resource routing already exists');
    throw isForeignKey(error) ? new Fault(500, 'Failed to create resource routing') : error;
  }
}
