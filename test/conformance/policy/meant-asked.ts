// Where an operation asks other rules than upstream's documentation names for it, with the reason.
import { meant } from './meant.ts';

const documented =
  'upstream asks it of this operation, and documents it for another path or method';
const shown = 'asked of each resource before it is shown';
const besides = 'asked besides, as upstream does without documenting it';

const quotaRules = {
  get: ['GET /quotas', 'GET /quotas/{}', 'GET /quotas/{}/default'],
  update: ['PUT /quotas/{}'],
  delete: ['DELETE /quotas/{}'],
};
const because = (reason: string, ...pairs: readonly string[]): Record<string, string> =>
  Object.fromEntries(pairs.map((pair) => [pair, reason]));

/** By service, and by operation and rule. */
export const meantAsked: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  identity: {
    ...because(
      shown,
      'GET /credentials: identity:get_credential',
      'HEAD /credentials: identity:get_credential',
    ),
    ...because(besides, 'HEAD /roles/{}/implies/{}: identity:get_implied_role'),
  },
  compute: because(
    documented,
    'GET /os-hypervisors/detail: os_compute_api:os-hypervisors:list-detail',
  ),
  network: {
    ...because(
      documented,
      ...Object.entries(quotaRules).flatMap(([verb, keys]) =>
        keys.map((key) => `${key}: ${verb}_quota`),
      ),
    ),
    'PUT /ports/{}: get_port':
      'asked where another rule refuses, for who does not see the port gets 404',
  },
  volume: {
    ...because(
      documented,
      'PUT /volumes/{}: volume:update',
      'POST /snapshots/{}/action (os-update_snapshot_status): ' +
        'snapshot_extension:snapshot_actions:update_snapshot_status',
      'PUT /snapshots/{}/metadata: volume:update_snapshot_metadata',
      'PUT /types/{}: volume_extension:type_update',
      'DELETE /types/{}: volume_extension:type_delete',
      'GET /volume-transfers: volume:get_all_transfers',
      'POST /volume-transfers: volume:create_transfer',
      'PUT /default-types/{}: volume_extension:default_set_or_update',
      'GET /os-quota-sets/{}/defaults: volume_extension:quotas:show',
      ...['enable', 'disable', 'disable-log-reason'].map(
        (verb) => `PUT /os-services/${verb}: volume_extension:services:update`,
      ),
    ),
    ...because(
      besides,
      'POST /volumes/{}/action (os-set_image_metadata): volume:update_volume_metadata',
      'POST /volumes/{}/action (os-unset_image_metadata): volume:delete_volume_metadata',
      ...['freeze', 'thaw'].map(
        (verb) => `PUT /os-services/${verb}: volume_extension:services:update`,
      ),
    ),
  },
  image: {
    ...because(shown, 'GET /images: get_image'),
    ...because(
      besides,
      'GET /images/{}/tasks: get_image',
      'PUT /images/{}/tags/{}: modify_image',
      'DELETE /images/{}/tags/{}: modify_image',
      'PUT /images/{}/members/{}: get_member',
      'DELETE /images/{}/members/{}: get_member',
    ),
  },
  reservation: {
    ...because(
      besides,
      'PUT /leases/{}: blazar:leases:get',
      'DELETE /leases/{}: blazar:leases:get',
    ),
    ...because(
      documented,
      'GET /os-hosts/properties: blazar:oshosts:get_resource_properties',
      'PATCH /os-hosts/properties/{}: blazar:oshosts:update_resource_properties',
    ),
  },
  clustering: because(
    documented,
    'GET /clusters/{}/attrs/{}: clusters:collect',
    'GET /nodes: nodes:create',
    'POST /nodes: nodes:create',
  ),
};

/**
 * The reason for a rule that many operations ask, or that none does.
 * @param asked whether ours asks it, and upstream does not say so
 */
export function asideOf(service: string, rule: string, asked: boolean): string | undefined {
  // A resource is shown in the reply to a POST and to a PUT, and its tags are an attribute of it.
  if (asked && service === 'network' && /^get_\w+:/.test(rule)) return shown;
  return meant[service]?.[rule];
}
