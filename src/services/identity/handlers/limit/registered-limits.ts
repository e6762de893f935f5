// Registered limits: how much of a resource a project gets where nothing else is said. Upstream: api/registered_limits.py and limit/core.py.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import { isDuplicate } from '../../../../kernel/db/errors.ts';
import { conflict, forbidden, type Fault } from '../../../../kernel/fault.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import type { RegisteredLimit } from '../../domain/records.ts';
import { expecting, found } from '../../domain/refusals.ts';
import { findRegion, findService } from '../../store/catalog/catalog.ts';
import { deleteRegisteredLimit, findRegisteredLimit, insertRegisteredLimit, isLimited, listRegisteredLimits, updateRegisteredLimit } from '../../store/limit/limits.ts'; // prettier-ignore
import { linkTo, listReply, type View } from '../../views/links.ts';
import { allow, bodyOf, textOf, type Fields } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** GET /v3/registered_limits */
export async function list(call: Call): Promise<Reply> {
  allow(call, 'list_registered_limits');
  const views = (await listRegisteredLimits(call.db)).map((limit) => view(call, limit));
  return listReply(call, 'registered_limits', views, ['service_id', 'region_id', 'resource_name']);
}

/** POST /v3/registered_limits; several at once, all or none. */
export async function create(call: Call): Promise<Reply> {
  allow(call, 'create_registered_limits');
  const { registered_limits: asked } = call.body as { registered_limits: Fields[] };
  for (const fields of asked) await checkPlaces(call, fields, 'registered_limit');
  const limits = asked.map((fields) => changed({ id: newHexId(), regionId: null, description: null }, fields));
  for (const limit of limits) await unique('registered_limit', () => insertRegisteredLimit(call.db, limit));
  return created({ registered_limits: limits.map((limit) => view(call, limit)) });
}

/** GET /v3/registered_limits/{registered_limit_id} */
export async function show(call: Call): Promise<Reply> {
  return ok({ registered_limit: view(call, await target(call, 'get_registered_limit')) });
}

/** PATCH /v3/registered_limits/{registered_limit_id}; not while there are limits that rest on it. */
export async function update(call: Call): Promise<Reply> {
  allow(call, 'update_registered_limit');
  const fields = bodyOf(call, 'registered_limit');
  await checkPlaces(call, fields, 'registered_limit');
  const limit = await target(call, 'update_registered_limit');
  await refuseUsed(call, limit);
  const next = changed(limit, fields);
  await unique('registered_limit', () => updateRegisteredLimit(call.db, next));
  return ok({ registered_limit: view(call, next) });
}

function changed(
  limit: Partial<RegisteredLimit> & Pick<RegisteredLimit, 'id' | 'regionId' | 'description'>,
  fields: Fields,
): RegisteredLimit {
  return {
    id: limit.id,
    serviceId: limit.serviceId ?? '',
    resourceName: limit.resourceName ?? '',
    defaultLimit: limit.defaultLimit ?? 0,
    regionId: 'region_id' in fields ? (fields['region_id'] as string | null) : limit.regionId,
    description: 'description' in fields ? (fields['description'] as string | null) : limit.description,
    ...('service_id' in fields ? { serviceId: textOf(fields, 'service_id') } : {}),
    ...('resource_name' in fields ? { resourceName: textOf(fields, 'resource_name') } : {}),
    ...('default_limit' in fields ? { defaultLimit: fields['default_limit'] as number } : {}),
  };
}

/** DELETE /v3/registered_limits/{registered_limit_id}; not while there are limits that rest on it. */
export async function remove(call: Call): Promise<Reply> {
  const limit = await target(call, 'delete_registered_limit');
  await refuseUsed(call, limit);
  await deleteRegisteredLimit(call.db, limit.id);
  return noContent();
}

async function refuseUsed(call: Call, { id }: RegisteredLimit): Promise<void> {
  if (!(await isLimited(call.db, id))) return;
  throw forbidden(`Unable to update or delete registered limit ${id} because there are project limits associated with it.`);
}

async function target(call: Call, rule: string): Promise<RegisteredLimit> {
  allow(call, rule);
  const id = call.params['registered_limit_id']!;
  return found(await findRegisteredLimit(call.db, id), 'registeredLimit', id);
}

/** Service and region must be there where they are named. @throws 400 */
export async function checkPlaces(call: Call, fields: Fields, what: string): Promise<void> {
  const { service_id: service, region_id: region } = fields as { service_id?: string; region_id?: string | null };
  if (service !== undefined && !(await findService(call.db, service))) throw expecting('service_id', what);
  if (typeof region === 'string' && !(await findRegion(call.db, region))) throw expecting('region_id', what);
}

/** @throws 409 where there is one for the same */
export async function unique(type: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw isDuplicate(error) ? duplicateEntry(type) : error;
  }
}

const duplicateEntry = (type: string): Fault => conflict(`Conflict occurred attempting to store ${type} - Duplicate entry.`);

const view = (call: Call, limit: RegisteredLimit): View => ({
  id: limit.id,
  service_id: limit.serviceId,
  region_id: limit.regionId,
  resource_name: limit.resourceName,
  default_limit: limit.defaultLimit,
  description: limit.description,
  links: { self: linkTo(call, `registered_limits/${limit.id}`) },
});
