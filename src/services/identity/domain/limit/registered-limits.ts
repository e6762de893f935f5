// Creates, updates and deletes registered limits, which are the defaults of limits. Upstream:
// api/registered_limits.py and limit/core.py.
import { forbidden } from '../../../../kernel/errors.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import { findRegion } from '../../store/catalog/regions.ts';
import { findService } from '../../store/catalog/services.ts';
import * as store from '../../store/limit/limits.ts';
import { textOf, updatedText, type Fields } from '../attributes.ts';
import type { RegisteredLimit } from '../../model.ts';
import { duplicateEntry, expecting, refuseOnDuplicate } from '../refusals.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Context } from '../../../../kernel/model.ts';

/** Creates all of the registered limits, or none. @throws 400, 409 */
export async function createRegisteredLimits(
  { db }: Context,
  all: readonly Fields[],
): Promise<RegisteredLimit[]> {
  for (const fields of all) await checkServiceAndRegion(db, fields, 'registered_limit');
  const limits = all.map((fields) =>
    changed({ id: newHexId(), regionId: null, description: null }, fields),
  );
  for (const limit of limits)
    await refuseOnDuplicate(store.insertRegisteredLimit(db, limit), duplicateLimit);
  return limits;
}

/**
 * Updates a registered limit, after `checkChange` has checked its service and region.
 * @throws 403, 409
 */
export async function updateRegisteredLimit(
  { db }: Context,
  limit: RegisteredLimit,
  fields: Fields,
): Promise<RegisteredLimit> {
  await refuseUsed(db, limit);
  const next = changed(limit, fields);
  await refuseOnDuplicate(store.updateRegisteredLimit(db, next), duplicateLimit);
  return next;
}

const duplicateLimit = () => duplicateEntry('registered_limit');

/** Checks a change before the registered limit is looked up. @throws 400 */
export const checkChange = ({ db }: Context, fields: Fields): Promise<void> =>
  checkServiceAndRegion(db, fields, 'registered_limit');

function changed(
  limit: Partial<RegisteredLimit> & Pick<RegisteredLimit, 'id' | 'regionId' | 'description'>,
  fields: Fields,
): RegisteredLimit {
  return {
    id: limit.id,
    serviceId: limit.serviceId ?? '',
    resourceName: limit.resourceName ?? '',
    defaultLimit: limit.defaultLimit ?? 0,
    regionId: updatedText(fields, 'region_id', limit.regionId),
    description: updatedText(fields, 'description', limit.description),
    ...('service_id' in fields ? { serviceId: textOf(fields, 'service_id') } : {}),
    ...('resource_name' in fields ? { resourceName: textOf(fields, 'resource_name') } : {}),
    ...('default_limit' in fields ? { defaultLimit: fields['default_limit'] as number } : {}),
  };
}

/** Deletes a registered limit. @throws 403 while limits depend on it */
export async function deleteRegisteredLimit(
  { db }: Context,
  limit: RegisteredLimit,
): Promise<void> {
  await refuseUsed(db, limit);
  await store.deleteRegisteredLimit(db, limit.id);
}

async function refuseUsed(db: Db, { id }: RegisteredLimit): Promise<void> {
  if (!(await store.hasLimits(db, id))) return;
  throw forbidden(
    `Unable to update or delete registered limit ${id} because there are project ` +
      'limits associated with it.',
  );
}

/** Checks that the service and the region exist, if the request names them. @throws 400 */
export async function checkServiceAndRegion(db: Db, fields: Fields, noun: string): Promise<void> {
  const { service_id: service, region_id: region } = fields as {
    service_id?: string;
    region_id?: string | null;
  };
  if (service !== undefined && !(await findService(db, service)))
    throw expecting('service_id', noun);
  if (typeof region === 'string' && !(await findRegion(db, region)))
    throw expecting('region_id', noun);
}
