// The notifications of Nova about server groups, and the format of all of its notifications.
// Upstream: nova/notifications/objects/base.py and server_group.py.
import type { Context } from '../../../kernel/model.ts';
import { notify } from '../../../kernel/notifications.ts';
import type { ServerGroup } from '../model.ts';

/** A versioned object as oslo.versionedobjects writes it. */
export const versioned = (name: string, version: string, data: object): object => ({
  'nova_object.name': name,
  'nova_object.namespace': 'nova',
  'nova_object.version': version,
  'nova_object.data': data,
});

/** The payload of a server group's notifications. The hosts are never loaded there. */
const serverGroupPayload = (group: ServerGroup): object => {
  const { uuid, name, projectId, userId, policy, maxServerPerHost, members } = group;
  return versioned('ServerGroupPayload', '1.1', {
    uuid,
    name,
    project_id: projectId,
    user_id: userId,
    policies: [policy],
    policy,
    rules: maxServerPerHost === null ? {} : { max_server_per_host: String(maxServerPerHost) },
    members,
    hosts: null,
  });
};

/** Where Nova publishes. */
export const notificationSource = {
  service: 'compute',
  exchange: 'nova',
  topic: 'versioned_notifications',
};

/** Reports that a server group was created or deleted, or got members. */
export const notifyGroup = (
  context: Context,
  event: 'create' | 'delete' | 'add_member',
  groupOf: () => ServerGroup | Promise<ServerGroup>,
): Promise<void> =>
  notify(
    context,
    notificationSource,
    { publisherId: 'nova-api:controller', eventType: `server_group.${event}` },
    async () => serverGroupPayload(await groupOf()),
  );
