// Lists operations that intentionally check other rules than upstream's documentation names, with
// the reasons.
import { intended } from './compare-intended.ts';

const documented =
  'upstream checks it for this operation, but documents it for another path or method';
const shown = 'checked for each resource before it is returned';
const additional = 'checked in addition, as upstream does without documenting it';

const quotaRules = {
  get: ['GET /quotas', 'GET /quotas/{}', 'GET /quotas/{}/default'],
  update: ['PUT /quotas/{}'],
  delete: ['DELETE /quotas/{}'],
};
const because = (reason: string, ...pairs: readonly string[]): Record<string, string> =>
  Object.fromEntries(pairs.map((pair) => [pair, reason]));

/** The reasons by service, then by operation and rule. */
export const intendedOperations: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  identity: {
    ...because(
      shown,
      'GET /credentials: identity:get_credential',
      'HEAD /credentials: identity:get_credential',
    ),
    ...because(additional, 'HEAD /roles/{}/implies/{}: identity:get_implied_role'),
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
      'checked if another rule refuses: a caller who may not see the port gets 404',
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
      additional,
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
      additional,
      'GET /images/{}/tasks: get_image',
      'PUT /images/{}/tags/{}: modify_image',
      'DELETE /images/{}/tags/{}: modify_image',
      'PUT /images/{}/members/{}: get_member',
      'DELETE /images/{}/members/{}: get_member',
    ),
  },
  reservation: {
    ...because(
      additional,
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
 * The reason that applies to a rule in general: many operations check it, or none does.
 * @param isChecked true if Cumulet checks it and upstream does not document that; false for the
 * opposite
 */
export function generalReason(
  service: string,
  rule: string,
  isChecked: boolean,
): string | undefined {
  // Replies to POST and PUT contain the resource, and its tags are one of its attributes.
  if (isChecked && service === 'network' && /^get_\w+:/.test(rule)) return shown;
  return intended[service]?.[rule];
}
