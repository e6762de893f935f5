// Registered limits: the defaults of limits. Upstream: api/registered_limits.py.
import {
  listHandler,
  removeHandler,
  showHandler,
  updateHandler,
} from '../../../../kernel/http/plain-resource.ts';
import { created } from '../../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';
import type { Fields } from '../../domain/attributes.ts';
import {
  checkChange,
  createRegisteredLimits,
  deleteRegisteredLimit,
  updateRegisteredLimit,
} from '../../domain/limit/registered-limits.ts';
import type { RegisteredLimit } from '../../model.ts';
import { findRegisteredLimit, listRegisteredLimits } from '../../store/limit/limits.ts';
import { registeredLimitView } from '../../views/limit/limits.ts';
import { bodiesOf, lookupsOf, type Shape } from '../plain.ts';
import { bodyOf, enforce } from '../requests.ts';

const shape: Shape<RegisteredLimit> = {
  noun: 'registered_limit',
  collection: 'registered_limits',
  filters: ['service_id', 'region_id', 'resource_name'],
  view: registeredLimitView,
};

/** An update checks the service and the region in the body before the lookup. */
const resource = {
  ...lookupsOf({ ...shape, list: listRegisteredLimits, find: findRegisteredLimit }),
  ...bodiesOf(shape),
  async fields(call: Call): Promise<Fields> {
    const fields = bodyOf(call, 'registered_limit');
    await checkChange(call, fields);
    return fields;
  },
  update: updateRegisteredLimit,
  remove: deleteRegisteredLimit,
};

export const list = listHandler(resource);
export const show = showHandler(resource);
/** PATCH /v3/registered_limits/{registered_limit_id}; 403 while limits depend on it. */
export const update = updateHandler(resource);
/** DELETE /v3/registered_limits/{registered_limit_id}; 403 while limits depend on it. */
export const remove = removeHandler(resource);

/** POST /v3/registered_limits; creates all registered limits of the body, or none. */
export async function create(call: Call): Promise<Reply> {
  enforce(call, 'create_registered_limits');
  const { registered_limits: all } = call.body as { registered_limits: Fields[] };
  const limits = await createRegisteredLimits(call, all);
  return created({ registered_limits: limits.map((limit) => registeredLimitView(call, limit)) });
}
