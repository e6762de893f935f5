// Limits of projects and domains. Upstream: api/limits.py.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import type { Fields } from '../../domain/attributes.ts';
import {
  createLimits,
  deleteLimit,
  updateLimit,
  visibleLimits,
} from '../../domain/limit/limits.ts';
import type { Limit } from '../../model.ts';
import { found } from '../../domain/refusals.ts';
import { findLimit } from '../../store/limit/limits.ts';
import { findProject } from '../../store/resource/projects.ts';
import { limitView } from '../../views/limit/limits.ts';
import { listReply } from '../lists.ts';
import { allow, bodyOf } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

const filters = ['service_id', 'region_id', 'resource_name', 'project_id', 'domain_id'];

/** GET /v3/limits */
export async function list(call: Call): Promise<Reply> {
  allow(call, 'list_limits');
  const { systemScope, roles, domainId, projectId } = call.caller!;
  const seesAll = systemScope !== undefined || roles.includes('admin') || roles.includes('service');
  const limits = await visibleLimits(call, { seesAll, domainId, projectId });
  return listReply(
    call,
    'limits',
    limits.map((limit) => limitView(call, limit)),
    filters,
  );
}

/** POST /v3/limits; several at once, all or none. */
export async function create(call: Call): Promise<Reply> {
  allow(call, 'create_limits');
  const limits = await createLimits(call, (call.body as { limits: Fields[] }).limits);
  return created({ limits: limits.map((limit) => limitView(call, limit)) });
}

/** GET /v3/limits/{limit_id} */
export async function show(call: Call): Promise<Reply> {
  const id = call.params['limit_id']!;
  const limit = await findLimit(call.db, id);
  const project = limit?.projectId ? await findProject(call.db, limit.projectId) : undefined;
  allow(
    call,
    'get_limit',
    limit ? { limit: { ...limit, projectDomainId: project?.domainId } } : {},
  );
  return ok({ limit: limitView(call, found(limit, 'limit', id)) });
}

/** PATCH /v3/limits/{limit_id} */
export async function update(call: Call): Promise<Reply> {
  const limit = await updateLimit(call, await target(call, 'update_limit'), bodyOf(call, 'limit'));
  return ok({ limit: limitView(call, limit) });
}

/** DELETE /v3/limits/{limit_id} */
export async function remove(call: Call): Promise<Reply> {
  await deleteLimit(call, (await target(call, 'delete_limit')).id);
  return noContent();
}

/** GET /v3/limits/model */
export function showModel(call: Call): Reply {
  allow(call, 'get_limit_model');
  const description =
    'Limit enforcement and validation does not take project hierarchy into consideration.';
  return ok({ model: { name: 'flat', description } });
}

async function target(call: Call, rule: string): Promise<Limit> {
  allow(call, rule);
  const id = call.params['limit_id']!;
  return found(await findLimit(call.db, id), 'limit', id);
}
