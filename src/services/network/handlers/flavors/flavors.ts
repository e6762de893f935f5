// Flavors of service plugins. All projects see them, and administrators change them.
import { created, noContent } from '../../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';
import { preparePost } from '../../domain/attributes/bodies.ts';
import { associationAttributes, flavorAttributes } from '../../domain/flavors/attributes.ts';
import {
  associateProfile,
  checkAssociated,
  createFlavor,
  disassociateProfile,
  updateFlavor,
} from '../../domain/flavors/flavors.ts';
import { getFlavor, visibility } from '../../domain/visibility.ts';
import type { Flavor } from '../../model.ts';
import { loadFlavorDetails } from '../../store/flavors.ts';
import { flavorTable } from '../../store/tables.ts';
import { flavorView } from '../../views/flavors.ts';
import { enforce, refuseBody } from '../requests.ts';
import { resourceHandlers, sequentially, viewsWith, type UpdatableResource } from '../resources.ts';

export const flavorResource: UpdatableResource<Flavor> = {
  map: flavorAttributes,
  table: flavorTable,
  visibility: visibility.all,
  unknownMarkers: 'ignored',
  get: getFlavor,
  create: sequentially(createFlavor),
  update: updateFlavor,
  delete: ({ db }, flavor) => flavorTable.delete(db, flavor),
  views: viewsWith(loadFlavorDetails, flavorView),
};

export const { list, show, create, update, remove } = resourceHandlers(flavorResource);

/** The flavor and the profiles of a request below a flavor, as policy rules see them. */
const pairOf = ({ params }: Call, profileId: string) => ({
  flavor_id: params['flavor_id']!,
  service_profile_id: profileId,
});

/** POST /v2.0/flavors/{flavor_id}/service_profiles. As upstream, it replies with the flavor's id. */
export async function addProfile(call: Call): Promise<Reply> {
  const { bulk, items } = preparePost(associationAttributes, call.actor, call.body);
  enforce(call, ['create_flavor_service_profile'], {});
  const views: object[] = [];
  for (const item of items) {
    const { id } = await associateProfile(call, pairOf(call, item['id'] as string));
    views.push({ id });
  }
  return created(bulk ? { service_profiles: views } : { service_profile: views[0] });
}

/** DELETE /v2.0/flavors/{flavor_id}/service_profiles/{service_profile_id} */
export async function removeProfile(call: Call): Promise<Reply> {
  refuseBody(call);
  const pair = pairOf(call, call.params['service_profile_id']!);
  await checkAssociated(call, pair);
  enforce(call, ['delete_flavor_service_profile'], pair, 'get_flavor_service_profile');
  await disassociateProfile(call, pair);
  return noContent();
}
