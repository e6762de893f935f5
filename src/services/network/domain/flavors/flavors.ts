// Flavors of service plugins, and their service profiles. Upstream: neutron/db/flavors_db.py.
import type { Context } from '../../../../kernel/model.ts';
import type { Flavor, FlavorProfile, ServiceProfile } from '../../model.ts';
import { associate, disassociate, isAssociated, isProfileUsed } from '../../store/flavors.ts';
import { flavorTable, serviceProfileTable } from '../../store/tables.ts';
import type { Fields } from '../attributes/definitions.ts';
import { absent, bad, inConflict } from '../refusals.ts';
import { newStandard, storedFields } from '../standard.ts';
import { getFlavor, getServiceProfile } from '../visibility.ts';

/** The drivers of the service providers. */
const drivers: readonly string[] = [
  'dvrha.DvrHaDriver',
  'dvr.DvrDriver',
  'ha.HaDriver',
  'single_node.SingleNodeDriver',
].map((name) => `neutron.services.l3_router.service_providers.${name}`);

export async function createFlavor({ db, now }: Context, fields: Fields): Promise<Flavor> {
  const flavor: Flavor = {
    ...newStandard({ ...fields, project_id: '' }, now),
    name: fields['name'] as string,
    service_type: fields['service_type'] as string,
    enabled: fields['enabled'] as boolean,
  };
  await flavorTable.create(db, flavor);
  return flavor;
}

export const updateFlavor = (
  { db, now }: Context,
  flavor: Flavor,
  fields: Fields,
): Promise<Flavor> => flavorTable.change(db, flavor, storedFields(flavorTable, fields), now);

/** Creates a service profile. @throws 400, 404 */
export async function createServiceProfile(
  { db, now }: Context,
  fields: Fields,
): Promise<ServiceProfile> {
  const profile: ServiceProfile = {
    ...newStandard({ ...fields, project_id: '' }, now),
    driver: fields['driver'] as string,
    metainfo: fields['metainfo'] as string,
    enabled: fields['enabled'] as boolean,
  };
  if (!profile.driver && !profile.metainfo)
    throw bad('ServiceProfileEmpty', 'Service Profile needs either a driver or metainfo.');
  checkDriver(profile.driver);
  await serviceProfileTable.create(db, profile);
  return profile;
}

/** Updates a service profile. @throws 404 for an unknown driver; 409 if a flavor has it */
export async function updateServiceProfile(
  { db, now }: Context,
  profile: ServiceProfile,
  fields: Fields,
): Promise<ServiceProfile> {
  checkDriver((fields['driver'] ?? '') as string);
  if (await isProfileUsed(db, profile.id)) throw profileInUse(profile.id);
  return serviceProfileTable.change(db, profile, storedFields(serviceProfileTable, fields), now);
}

/** Deletes a service profile. @throws 409 if a flavor has it */
export async function deleteServiceProfile({ db }: Context, profile: ServiceProfile) {
  if (await isProfileUsed(db, profile.id)) throw profileInUse(profile.id);
  await serviceProfileTable.delete(db, profile);
}

/** Gives a service profile to a flavor. Upstream returns 500 if one of them does not exist. */
export async function associateProfile(context: Context, pair: FlavorProfile): Promise<Flavor> {
  const { db } = context;
  const { flavor_id: flavorId, service_profile_id: profileId } = pair;
  if (await isAssociated(db, pair)) {
    throw inConflict(
      'FlavorServiceProfileBindingExists',
      `Service Profile ${profileId} is already associated with flavor ${flavorId}.`,
    );
  }
  const flavor = await getFlavor(context, flavorId);
  // Conflict with transactions that update a profile, which only an unused one allows.
  await serviceProfileTable.checkUnchanged(db, await getServiceProfile(context, profileId));
  await associate(db, pair);
  return flavor;
}

/** @throws 404 if the flavor does not have the profile */
export async function disassociateProfile({ db }: Context, pair: FlavorProfile): Promise<void> {
  if (!(await disassociate(db, pair))) throw notAssociated(pair);
}

/** @throws 404 if the flavor does not have the profile */
export async function checkAssociated({ db }: Context, pair: FlavorProfile): Promise<void> {
  if (!(await isAssociated(db, pair))) throw notAssociated(pair);
}

const notAssociated = ({ flavor_id, service_profile_id }: FlavorProfile) =>
  absent(
    'FlavorServiceProfileBindingNotFound',
    `Service Profile ${service_profile_id} is not associated with flavor ${flavor_id}.`,
  );

const profileInUse = (id: string) =>
  inConflict('ServiceProfileInUse', `Service Profile ${id} is used by some service instance.`);

/** @throws 404 if no service provider has this driver */
function checkDriver(driver: string): void {
  if (driver && !drivers.includes(driver))
    throw absent(
      'ServiceProfileDriverNotFound',
      `Service Profile driver ${driver} could not be found.`,
    );
}
