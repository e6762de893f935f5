// Events: the beginnings, ends and failures of actions.
import { newUuid } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import { notify } from '../../../../kernel/notifications.ts';
import type { Action, Cluster, Node } from '../../model.ts';
import * as store from '../../store/index.ts';
import { actionNotification } from './notification-payloads.ts';
import { derived } from './queue.ts';

/** Where Senlin publishes its events. Upstream: senlin/events/message.py. */
const source = { service: 'clustering', exchange: 'senlin', topic: 'versioned_notifications' };

export const levels = {
  CRITICAL: 50,
  ERROR: 40,
  WARNING: 30,
  INFO: 20,
  DEBUG: 10,
  NOTSET: 0,
} as const;

/** Upstream: exclude_derived_actions in senlin/conf/dispatchers.py. */
export const hasEvents = ({ cause }: Action): boolean => cause !== derived;

/**
 * Records an event and reports it, if the action has events.
 * @param subject undefined, and no event, if the target of the action never existed
 */
export async function recordEvent(
  context: Context,
  action: Action,
  subject: Cluster | Node | undefined,
  status: 'start' | 'end' | 'error',
  reason: string,
): Promise<void> {
  if (!hasEvents(action) || !subject) return;
  const { db, now } = context;
  const isNode = 'clusterId' in subject;
  const operation = action.action.endsWith('_OPERATION')
    ? (action.inputs['operation'] as string | undefined)
    : undefined;
  await store.events.insert(db, {
    id: newUuid(),
    // If an action ends in the microsecond in which it began, lists still show the end second.
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
  const kind = isNode ? 'node' : 'cluster';
  const name = (operation ?? action.action).toLowerCase().replace(/^(?:cluster|node)_/, '');
  await notify(
    context,
    source,
    {
      publisherId: 'senlin-engine:controller',
      eventType: `${kind}.${name}.${status}`,
      priority: status === 'error' ? 'ERROR' : 'INFO',
    },
    () => actionNotification(action, subject),
  );
}
