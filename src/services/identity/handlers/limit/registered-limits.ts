// Registered limits: the defaults of limits. Upstream: api/registered_limits.py.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import type { Fields } from '../../domain/attributes.ts';
import {
  checkChange,
  createRegisteredLimits,
  deleteRegisteredLimit,
  updateRegisteredLimit,
} from '../../domain/limit/registered-limits.ts';
import type { RegisteredLimit } from '../../model.ts';
import { found } from '../../domain/refusals.ts';
import { findRegisteredLimit, listRegisteredLimits } from '../../store/limit/limits.ts';
import { registeredLimitView } from '../../views/limit/limits.ts';
import { listReply } from '../lists.ts';
import { allow, bodyOf } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** GET /v3/registered_limits */
export async function list(call: Call): Promise<Reply> {
  allow(call, 'list_registered_limits');
  const views = (await listRegisteredLimits(call.db)).map((limit) =>
    registeredLimitView(call, limit),
  );
  return listReply(call, 'registered_limits', views, ['service_id', 'region_id', 'resource_name']);
}

/** POST /v3/registered_limits; several at once, all or none. */
export async function create(call: Call): Promise<Reply> {
  allow(call, 'create_registered_limits');
  const { registered_limits: all } = call.body as { registered_limits: Fields[] };
  const limits = await createRegisteredLimits(call, all);
  return created({ registered_limits: limits.map((limit) => registeredLimitView(call, limit)) });
}

/** GET /v3/registered_limits/{registered_limit_id} */
export async function show(call: Call): Promise<Reply> {
  return ok({
    registered_limit: registeredLimitView(call, await target(call, 'get_registered_limit')),
  });
}

/** PATCH /v3/registered_limits/{registered_limit_id}; 403 while limits depend on it. */
export async function update(call: Call): Promise<Reply> {
  allow(call, 'update_registered_limit');
  const fields = bodyOf(call, 'registered_limit');
  await checkChange(call, fields);
  const limit = await updateRegisteredLimit(
    call,
    await target(call, 'update_registered_limit'),
    fields,
  );
  return ok({ registered_limit: registeredLimitView(call, limit) });
}

/** DELETE /v3/registered_limits/{registered_limit_id}; 403 while limits depend on it. */
export async function remove(call: Call): Promise<Reply> {
  await deleteRegisteredLimit(call, await target(call, 'delete_registered_limit'));
  return noContent();
}

async function target(call: Call, rule: string): Promise<RegisteredLimit> {
  allow(call, rule);
  const id = call.params['registered_limit_id']!;
  return found(await findRegisteredLimit(call.db, id), 'registeredLimit', id);
}
