// The notifications of Nova about servers: about their actions, and about their changes.
import type { ApiError } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { isNotifying, notify } from '../../../../kernel/notifications.ts';
import type { Server } from '../../model.ts';
import { findActionById } from '../../store/servers/actions.ts';
import { notificationSource } from '../notifications.ts';
import { startOfPeriod } from '../audit-periods.ts';
import { loadSettings } from '../settings.ts';
import {
  auditPeriodPayload,
  type AuditPeriod,
  serverPayload,
  stateUpdatePayload,
  type PayloadName,
} from './notification-payloads.ts';
import { power } from './states.ts';
import { attachedPorts } from './networks.ts';

/** The event of a deletion. */
export const deleteEvent = 'compute_terminate_instance';

interface NotifiedAction {
  /** The part of the event type after `instance.`. */
  readonly action: string;
  readonly payload?: PayloadName;
  /** The API reports it, without phases. */
  readonly byApi?: boolean;
  /** Whether Nova reports failures of the action. */
  readonly reportsErrors?: boolean;
  /** Whether the usage of the server is reported, too: before or after the start of the action. */
  readonly exists?: 'before' | 'after';
}

/**
 * The notifications of each event of an action. Moves report their steps themselves, because hosts
 * change between them. A power state that the hypervisor reports has none.
 */
const actionsByEvent: Readonly<Record<string, NotifiedAction>> = {
  compute__do_build_and_run_instance: {
    action: 'create',
    payload: 'InstanceCreatePayload',
    reportsErrors: true,
  },
  [deleteEvent]: { action: 'delete' },
  compute_soft_delete_instance: { action: 'soft_delete' },
  compute_restore_instance: { action: 'restore' },
  compute_start_instance: { action: 'power_on' },
  compute_stop_instance: { action: 'power_off' },
  compute_reboot_instance: { action: 'reboot', reportsErrors: true },
  compute_pause_instance: { action: 'pause' },
  compute_unpause_instance: { action: 'unpause' },
  compute_suspend_instance: { action: 'suspend' },
  compute_resume_instance: { action: 'resume' },
  compute_rescue_instance: {
    action: 'rescue',
    payload: 'InstanceActionRescuePayload',
    exists: 'after',
  },
  compute_unrescue_instance: { action: 'unrescue' },
  rebuild_server: {
    action: 'rebuild',
    payload: 'InstanceActionRebuildPayload',
    reportsErrors: true,
    exists: 'before',
  },
  // An evacuation
  compute_rebuild_instance: {
    action: 'rebuild',
    payload: 'InstanceActionRebuildPayload',
    reportsErrors: true,
    exists: 'before',
  },
  compute_snapshot_instance: { action: 'snapshot', payload: 'InstanceActionSnapshotPayload' },
  compute_backup_instance: { action: 'snapshot', payload: 'InstanceActionSnapshotPayload' },
  compute_shelve_instance: { action: 'shelve', exists: 'before' },
  compute_shelve_offload_instance: { action: 'shelve_offload' },
  compute_unshelve_instance: { action: 'unshelve' },
  compute_confirm_resize: { action: 'resize_confirm' },
  compute_finish_revert_resize: { action: 'resize_revert', exists: 'before' },
  compute_live_migration_force_complete: { action: 'live_migration_force_complete' },
  compute_attach_interface: { action: 'interface_attach', reportsErrors: true },
  compute_detach_interface: { action: 'interface_detach' },
  compute_attach_volume: {
    action: 'volume_attach',
    payload: 'InstanceActionVolumePayload',
    reportsErrors: true,
  },
  compute_detach_volume: { action: 'volume_detach', payload: 'InstanceActionVolumePayload' },
  compute_trigger_crash_dump: { action: 'trigger_crash_dump' },
  api_lock: { action: 'lock', byApi: true },
  api_unlock: { action: 'unlock', byApi: true },
};

/** A deleted server, whose row may not say so yet. */
const deletedNow = ({ now }: Context, server: Server): Server => ({
  ...server,
  vmState: 'deleted',
  taskState: null,
  powerState: power.none,
  terminatedAt: now,
  deletedAt: now,
});

export type Phase = 'start' | 'end' | 'error';

/** A notification about a server, without what all of them say. */
interface ServerNotification {
  /** The part of the event type after `instance.`, without the phase. */
  readonly action: string;
  readonly phase?: Phase;
  /** By default that of most actions. */
  readonly payload?: PayloadName;
  /** Fields that only this payload has. */
  readonly fields?: object | undefined;
  readonly error?: { readonly message: string; readonly event: string } | undefined;
  /** The host that reports it; by default the server's. */
  readonly host?: string | null;
  /** Whether the API reports it instead of a host. */
  readonly byApi?: boolean | undefined;
}

/** Reports something about a server. */
export async function notifyServer(
  context: Context,
  server: Server,
  {
    action,
    phase,
    payload = 'InstanceActionPayload',
    fields,
    error,
    host = server.host,
    byApi = false,
  }: ServerNotification,
): Promise<void> {
  const publisherId = byApi ? 'nova-api:controller' : `nova-compute:${host ?? ''}`;
  const eventType = `instance.${action}${phase === undefined ? '' : `.${phase}`}`;
  const priority = phase === 'error' ? 'ERROR' : 'INFO';
  await notify(context, notificationSource, { publisherId, eventType, priority }, async () => {
    const initiator =
      server.actionId === null ? undefined : await findActionById(context.db, server.actionId);
    const { actor, requestId } = context;
    return serverPayload(
      payload,
      {
        server,
        ports: await attachedPorts(context, [server.uuid]),
        userId: initiator?.userId ?? (actor.userId || null),
        projectId: initiator?.projectId ?? actor.projectId ?? null,
        requestId: initiator?.requestId ?? requestId,
      },
      { error, fields },
    );
  });
}

/** Reports the start and the end of a step. */
export async function notifyStep(
  context: Context,
  server: Server,
  notification: Omit<ServerNotification, 'phase'>,
): Promise<void> {
  await notifyServer(context, server, { ...notification, phase: 'start' });
  await notifyServer(context, server, { ...notification, phase: 'end' });
}

/** The current period of usage audits, up to now. As upstream, it is never empty. */
async function currentPeriod(context: Context): Promise<AuditPeriod> {
  const { instanceUsageAuditPeriod: unit } = await loadSettings(context);
  return { begin: startOfPeriod(unit, context.now - 1), end: context.now };
}

/** Reports the usage of a server in the current period. */
export async function notifyExists(
  context: Context,
  server: Server,
  host: string | null = server.host,
): Promise<void> {
  if (!isNotifying(context)) return;
  await notifyUsage(context, server, await currentPeriod(context), host);
}

/** Reports the usage of a server in a period that has ended. */
export const notifyAudit = (context: Context, server: Server, period: AuditPeriod): Promise<void> =>
  notifyUsage(context, server, period, server.host);

const notifyUsage = (
  context: Context,
  server: Server,
  period: AuditPeriod,
  host: string | null,
): Promise<void> =>
  notifyServer(context, server, {
    action: 'exists',
    payload: 'InstanceExistsPayload',
    fields: { audit_period: auditPeriodPayload(period) },
    host,
  });

/** What a notification about an action says besides its server. */
export interface ActionDetails {
  readonly error?: ApiError | undefined;
  /** Fields that only the payload of the action has. */
  readonly fields?: object | undefined;
}

/** Reports the start, the end or the failure of a step of an action, if Nova does. */
export async function notifyAction(
  context: Context,
  server: Server,
  event: string,
  phase: Phase,
  { error, fields }: ActionDetails = {},
): Promise<void> {
  const notified = actionsByEvent[event];
  if (!notified || (phase === 'error' && !notified.reportsErrors)) return;
  const { action, payload = 'InstanceActionPayload', byApi, exists } = notified;
  if (byApi) {
    if (phase === 'end') await notifyServer(context, server, { action, payload, byApi });
    return;
  }
  if (phase === 'start' && exists === 'before') await notifyExists(context, server);
  const isDeleted = event === deleteEvent && phase === 'end';
  await notifyServer(context, isDeleted ? deletedNow(context, server) : server, {
    action,
    phase,
    payload,
    fields,
    error: error && { message: error.message, event },
  });
  if (phase === 'start' && exists === 'after') await notifyExists(context, server);
}

/** Reports that a server has new tags. */
export const notifyTags = (context: Context, server: Server): Promise<void> =>
  notifyUpdate(context, server, server, { byApi: true });

/** Reports a change of a server, if the settings say so. Upstream: send_update. */
export async function notifyChange(context: Context, before: Server, after: Server): Promise<void> {
  if (!isNotifying(context)) return;
  const { notifyOnStateChange } = await loadSettings(context);
  if (notifyOnStateChange === 'none') return;
  const hasChanged =
    before.vmState !== after.vmState ||
    (notifyOnStateChange === 'vm_and_task_state' && before.taskState !== after.taskState);
  await notifyUpdate(context, hasChanged ? before : after, after, {
    oldName: hasChanged || before.name === after.name ? null : before.name,
  });
}

async function notifyUpdate(
  context: Context,
  before: Server,
  after: Server,
  { oldName = null, byApi }: { oldName?: string | null; byApi?: boolean },
): Promise<void> {
  if (!isNotifying(context)) return;
  await notifyServer(context, after, {
    action: 'update',
    payload: 'InstanceUpdatePayload',
    fields: {
      state_update: stateUpdatePayload({ before, after }),
      audit_period: auditPeriodPayload(await currentPeriod(context)),
      old_display_name: oldName,
      tags: after.tags,
    },
    byApi,
  });
}
