// Limits: how much of a resource one project or domain gets. The model is flat: nobody adds them up. Upstream: api/limits.py and limit/core.py.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import { forbidden } from '../../../../kernel/fault.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import type { Limit } from '../../domain/records.ts';
import { expecting, found } from '../../domain/refusals.ts';
import {
  deleteLimit,
  findLimit,
  findRegisteredLimitFor,
  insertLimit,
  listLimits,
  updateLimit,
} from '../../store/limit/limits.ts';
import { findProject, listProjects } from '../../store/resource/projects.ts';
import { linkTo, listReply, type View } from '../../views/links.ts';
import { checkPlaces, unique } from './registered-limits.ts';
import { allow, bodyOf, textOf, type Fields } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

const filters = ['service_id', 'region_id', 'resource_name', 'project_id', 'domain_id'];

/** GET /v3/limits; only those of the place that the token is for, unless it is an administrator's or a service's. */
export async function list(call: Call): Promise<Reply> {
  allow(call, 'list_limits');
  const { systemScope, roles, domainId, projectId } = call.caller!;
  const all = await listLimits(call.db);
  const seesAll = systemScope !== undefined || roles.includes('admin') || roles.includes('service');
  const inDomain = domainId === undefined ? [] : (await listProjects(call.db, { domainId })).map((project) => project.id);
  const mine = (limit: Limit): boolean =>
    domainId === undefined
      ? projectId !== undefined && limit.projectId === projectId
      : limit.domainId === domainId || inDomain.includes(limit.projectId ?? '');
  const shown = seesAll ? all : all.filter(mine);
  return listReply(call, 'limits', shown.map((limit) => view(call, limit)), filters); // prettier-ignore
}

/** POST /v3/limits; several at once, all or none. */
export async function create(call: Call): Promise<Reply> {
  allow(call, 'create_limits');
  const { limits: asked } = call.body as { limits: Fields[] };
  const places: Pick<Limit, 'projectId' | 'domainId'>[] = [];
  for (const fields of asked) {
    await checkPlaces(call, fields, 'limit');
    places.push(await placeOf(call, fields));
  }
  const limits: Limit[] = [];
  for (const [index, fields] of asked.entries()) {
    const limit = await limitOf(call, fields, places[index]!);
    await unique('limit', () => insertLimit(call.db, limit));
    limits.push(limit);
  }
  return created({ limits: limits.map((limit) => view(call, limit)) });
}

/** The project or the domain that the limit is for; a project that acts as a domain is one. @throws 400 */
async function placeOf(call: Call, fields: Fields): Promise<Pick<Limit, 'projectId' | 'domainId'>> {
  const { project_id: project, domain_id: domain } = fields as { project_id?: string | null; domain_id?: string | null };
  const kind = typeof domain === 'string' ? 'domain_id' : 'project_id';
  const id = typeof domain === 'string' ? domain : (project ?? '');
  const place = await findProject(call.db, id);
  if (!place || (kind === 'domain_id' && !place.isDomain)) throw expecting(kind, 'limit');
  return place.isDomain ? { projectId: null, domainId: id } : { projectId: id, domainId: null };
}

async function limitOf(call: Call, fields: Fields, place: Pick<Limit, 'projectId' | 'domainId'>): Promise<Limit> {
  const registered = await findRegisteredLimitFor(call.db, {
    serviceId: textOf(fields, 'service_id'),
    regionId: (fields['region_id'] as string | null | undefined) ?? null,
    resourceName: textOf(fields, 'resource_name'),
  });
  if (!registered) throw forbidden('Unable to create a limit that has no corresponding registered limit.');
  return {
    ...place,
    id: newHexId(),
    registered,
    resourceLimit: fields['resource_limit'] as number,
    description: (fields['description'] as string | null | undefined) ?? null,
  };
}

/** GET /v3/limits/{limit_id} */
export async function show(call: Call): Promise<Reply> {
  const id = call.params['limit_id']!;
  const limit = await findLimit(call.db, id);
  const project = limit?.projectId ? await findProject(call.db, limit.projectId) : undefined;
  const asked = limit ? { limit: { ...limit, projectDomainId: project?.domainId } } : {};
  allow(call, 'get_limit', asked);
  return ok({ limit: view(call, found(limit, 'limit', id)) });
}

/** PATCH /v3/limits/{limit_id}; upstream's driver lets a limit of 0 and an empty description change nothing. */
export async function update(call: Call): Promise<Reply> {
  const limit = await target(call, 'update_limit');
  const fields = bodyOf(call, 'limit');
  const next: Limit = {
    ...limit,
    resourceLimit: (fields['resource_limit'] as number | undefined) || limit.resourceLimit,
    description: (fields['description'] as string | null | undefined) || limit.description,
  };
  await updateLimit(call.db, next);
  return ok({ limit: view(call, next) });
}

/** DELETE /v3/limits/{limit_id} */
export async function remove(call: Call): Promise<Reply> {
  await deleteLimit(call.db, (await target(call, 'delete_limit')).id);
  return noContent();
}

/** GET /v3/limits/model */
export function showModel(call: Call): Reply {
  allow(call, 'get_limit_model');
  const description = 'Limit enforcement and validation does not take project hierarchy into consideration.';
  return ok({ model: { name: 'flat', description } });
}

async function target(call: Call, rule: string): Promise<Limit> {
  allow(call, rule);
  const id = call.params['limit_id']!;
  return found(await findLimit(call.db, id), 'limit', id);
}

const view = (call: Call, { registered, ...limit }: Limit): View => ({
  id: limit.id,
  project_id: limit.projectId,
  domain_id: limit.domainId,
  resource_limit: limit.resourceLimit,
  description: limit.description,
  service_id: registered.serviceId,
  region_id: registered.regionId,
  resource_name: registered.resourceName,
  links: { self: linkTo(call, `limits/${limit.id}`) },
});
