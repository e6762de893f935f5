// Limits of projects and domains. Upstream: api/limits.py.
import {
  listHandler,
  removeHandler,
  showHandler,
  updateHandler,
} from '../../../../kernel/http/plain-resource.ts';
import { created, ok } from '../../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';
import type { Fields } from '../../domain/attributes.ts';
import {
  createLimits,
  deleteLimit,
  updateLimit,
  visibleLimits,
} from '../../domain/limit/limits.ts';
import { found } from '../../domain/refusals.ts';
import type { Limit } from '../../model.ts';
import { findLimit } from '../../store/limit/limits.ts';
import { findProject } from '../../store/resource/projects.ts';
import { limitView } from '../../views/limit/limits.ts';
import { bodiesOf, ruleOf } from '../plain.ts';
import { enforce } from '../requests.ts';

const resource = {
  ...bodiesOf<Limit>({
    noun: 'limit',
    collection: 'limits',
    filters: ['service_id', 'region_id', 'resource_name', 'project_id', 'domain_id'],
    view: limitView,
  }),
  list(call: Call): Promise<Limit[]> {
    enforce(call, 'list_limits');
    const { systemScope, roles, domainId, projectId } = call.caller!;
    const seesAll =
      systemScope !== undefined || roles.includes('admin') || roles.includes('service');
    return visibleLimits(call, { seesAll, domainId, projectId });
  },
  /**
   * Policy is enforced before a missing limit is a 404 when it is shown, and after that when it is
   * updated or deleted, as upstream (get_member_from_driver in api/limits.py).
   */
  async find(call: Call, operation: 'show' | 'update' | 'delete'): Promise<Limit> {
    const id = call.params['limit_id']!;
    const limit = await findLimit(call.db, id);
    if (operation === 'show') await enforceShow(call, limit);
    const existing = found(limit, 'limit', id);
    if (operation !== 'show') enforce(call, ruleOf(operation, 'limit'));
    return existing;
  },
  update: updateLimit,
  remove: deleteLimit,
};

export const list = listHandler(resource);
export const show = showHandler(resource);
export const update = updateHandler(resource);
export const remove = removeHandler(resource);

async function enforceShow(call: Call, limit: Limit | undefined): Promise<void> {
  const project = limit?.projectId ? await findProject(call.db, limit.projectId) : undefined;
  const subject = limit && { ...limit, projectDomainId: project?.domainId };
  enforce(call, 'get_limit', { limit: subject });
}

/** POST /v3/limits; creates all limits of the body, or none. */
export async function create(call: Call): Promise<Reply> {
  enforce(call, 'create_limits');
  const limits = await createLimits(call, (call.body as { limits: Fields[] }).limits);
  return created({ limits: limits.map((limit) => limitView(call, limit)) });
}

/** GET /v3/limits/model */
export function showModel(call: Call): Reply {
  enforce(call, 'get_limit_model');
  const description =
    'Limit enforcement and validation does not take project hierarchy into consideration.';
  return ok({ model: { name: 'flat', description } });
}
