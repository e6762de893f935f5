// The notifications of Nova about the actions on servers.
import type { ApiError } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { notify } from '../../../../kernel/notifications.ts';
import type { Server } from '../../model.ts';
import { findActionById } from '../../store/servers/actions.ts';
import { notificationSource } from '../notifications.ts';
import { serverPayload, type PayloadName } from './notification-payloads.ts';
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
}

/**
 * The notifications of each event of an action. A power state that the hypervisor reports has none,
 * and a snapshot has none because its image is made at once.
 */
const actionsByEvent: Readonly<Record<string, NotifiedAction>> = {
  compute__do_build_and_run_instance: { action: 'create', payload: 'InstanceCreatePayload' },
  [deleteEvent]: { action: 'delete' },
  compute_soft_delete_instance: { action: 'soft_delete' },
  compute_restore_instance: { action: 'restore' },
  compute_start_instance: { action: 'power_on' },
  compute_stop_instance: { action: 'power_off' },
  compute_reboot_instance: { action: 'reboot' },
  compute_pause_instance: { action: 'pause' },
  compute_unpause_instance: { action: 'unpause' },
  compute_suspend_instance: { action: 'suspend' },
  compute_resume_instance: { action: 'resume' },
  compute_rescue_instance: { action: 'rescue', payload: 'InstanceActionRescuePayload' },
  compute_unrescue_instance: { action: 'unrescue' },
  compute_rebuild_instance: { action: 'rebuild', payload: 'InstanceActionRebuildPayload' },
  compute_shelve_instance: { action: 'shelve' },
  compute_shelve_offload_instance: { action: 'shelve_offload' },
  compute_unshelve_instance: { action: 'unshelve' },
  compute_finish_resize: { action: 'resize_finish' },
  compute_confirm_resize: { action: 'resize_confirm' },
  compute_finish_revert_resize: { action: 'resize_revert' },
  compute_attach_interface: { action: 'interface_attach' },
  compute_detach_interface: { action: 'interface_detach' },
  compute_attach_volume: { action: 'volume_attach', payload: 'InstanceActionVolumePayload' },
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

/** What a notification about an action says besides its server. */
export interface ActionDetails {
  readonly error?: ApiError | undefined;
  readonly volumeId?: string | undefined;
}

/** Reports the start, the end or the failure of a step of an action, if Nova does. */
export async function notifyAction(
  context: Context,
  server: Server,
  event: string,
  phase: 'start' | 'end' | 'error',
  { error, volumeId }: ActionDetails = {},
): Promise<void> {
  const notified = actionsByEvent[event];
  if (!notified || (notified.byApi && phase !== 'end')) return;
  const { action, payload = 'InstanceActionPayload', byApi } = notified;
  const publisherId = byApi ? 'nova-api:controller' : `nova-compute:${server.host ?? ''}`;
  const eventType = byApi ? `instance.${action}` : `instance.${action}.${phase}`;
  const priority = phase === 'error' ? 'ERROR' : 'INFO';
  await notify(context, notificationSource, { publisherId, eventType, priority }, async () => {
    const initiator =
      server.actionId === null ? undefined : await findActionById(context.db, server.actionId);
    const { actor, requestId } = context;
    return serverPayload(
      payload,
      {
        server: event === deleteEvent && phase === 'end' ? deletedNow(context, server) : server,
        ports: await attachedPorts(context, [server.uuid]),
        userId: initiator?.userId ?? (actor.userId || null),
        projectId: initiator?.projectId ?? actor.projectId ?? null,
        requestId: initiator?.requestId ?? requestId,
      },
      {
        ...(error === undefined ? {} : { error: { message: error.message, event } }),
        ...(volumeId === undefined ? {} : { volumeId }),
      },
    );
  });
}
