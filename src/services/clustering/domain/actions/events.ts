// Events: what began, what ended, and what failed.
import { newUuid } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import * as store from '../../store/index.ts';
import type { Action, Cluster, Node } from '../../model.ts';
import { derived } from './queue.ts';

export const levels = {
  CRITICAL: 50,
  ERROR: 40,
  WARNING: 30,
  INFO: 20,
  DEBUG: 10,
  NOTSET: 0,
} as const;

/**
 * Writes an event down. Those of derived actions are left out. Upstream: exclude_derived_actions in
 * senlin/conf/dispatchers.py.
 */
export async function record(
  { db, now }: Context,
  action: Action,
  subject: Cluster | Node | undefined,
  status: 'start' | 'end' | 'error',
  reason: string,
): Promise<void> {
  if (action.cause === derived || !subject) return;
  const isNode = 'clusterId' in subject;
  const operation = action.action.endsWith('_OPERATION')
    ? (action.inputs['operation'] as string | undefined)
    : undefined;
  await store.events.insert(db, {
    id: newUuid(),
    // What ends in the moment in which it began comes after that in lists.
    timestamp: status === 'start' ? now : now + 1,
    oid: subject.id,
    oname: subject.name,
    otype: isNode ? 'NODE' : 'CLUSTER',
    clusterId: isNode ? subject.clusterId : subject.id,
    level: status === 'error' ? levels.ERROR : levels.INFO,
    userId: action.userId,
    projectId: action.projectId,
    action: operation ?? action.action,
    status,
    statusReason: reason,
    metaData: {},
  });
}
