// Creates, updates and lists the limits of projects and domains, in the flat model, which ignores
// the hierarchy. Upstream: api/limits.py and limit/core.py.
import { forbidden } from '../../../../kernel/errors.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import * as store from '../../store/limit/limits.ts';
import { findProject, listProjects } from '../../store/resource/projects.ts';
import { nullableText, textOf, type Fields } from '../attributes.ts';
import type { Limit } from '../../model.ts';
import { duplicateEntry, expecting, refuseOnDuplicate } from '../refusals.ts';
import { checkServiceAndRegion } from './registered-limits.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Context } from '../../../../kernel/model.ts';

/**
 * The limits that a token may see: those of its project, or of its domain and the projects in it;
 * all limits for administrators and services.
 */
export async function visibleLimits(
  { db }: Context,
  token: {
    readonly seesAll: boolean;
    readonly domainId: string | undefined;
    readonly projectId: string | undefined;
  },
): Promise<Limit[]> {
  const { seesAll, domainId, projectId } = token;
  const all = await store.listLimits(db);
  const inDomain = new Set(
    domainId === undefined
      ? []
      : (await listProjects(db, { domainId })).map((project) => project.id),
  );
  const isOwn = (limit: Limit): boolean =>
    domainId === undefined
      ? projectId !== undefined && limit.projectId === projectId
      : limit.domainId === domainId || inDomain.has(limit.projectId ?? '');
  return seesAll ? all : all.filter(isOwn);
}

/** The project or the domain of a limit. */
type Owner = Pick<Limit, 'projectId' | 'domainId'>;

/** Creates all of the limits, or none. @throws 400, 403, 409 */
export async function createLimits({ db }: Context, all: readonly Fields[]): Promise<Limit[]> {
  const owners: Owner[] = [];
  for (const fields of all) {
    await checkServiceAndRegion(db, fields, 'limit');
    owners.push(await ownerOf(db, fields));
  }
  const limits: Limit[] = [];
  for (const [index, fields] of all.entries()) {
    const limit = await newLimit(db, fields, owners[index]!);
    await refuseOnDuplicate(store.insertLimit(db, limit), () => duplicateEntry('limit'));
    limits.push(limit);
  }
  return limits;
}

/**
 * The project or the domain in a request. A project that acts as a domain counts as a domain.
 * @throws 400
 */
async function ownerOf(db: Db, fields: Fields): Promise<Owner> {
  const { project_id: project, domain_id: domain } = fields as {
    project_id?: string | null;
    domain_id?: string | null;
  };
  const attribute = typeof domain === 'string' ? 'domain_id' : 'project_id';
  const id = typeof domain === 'string' ? domain : (project ?? '');
  const owner = await findProject(db, id);
  if (!owner || (attribute === 'domain_id' && !owner.isDomain)) throw expecting(attribute, 'limit');
  return owner.isDomain ? { projectId: null, domainId: id } : { projectId: id, domainId: null };
}

async function newLimit(db: Db, fields: Fields, owner: Owner): Promise<Limit> {
  const registered = await store.findRegisteredLimitFor(db, {
    serviceId: textOf(fields, 'service_id'),
    regionId: nullableText(fields, 'region_id') ?? null,
    resourceName: textOf(fields, 'resource_name'),
  });
  if (!registered)
    throw forbidden('Unable to create a limit that has no corresponding registered limit.');
  return {
    ...owner,
    id: newHexId(),
    registered,
    resourceLimit: fields['resource_limit'] as number,
    description: nullableText(fields, 'description') ?? null,
  };
}

/** Updates a limit. Upstream's driver ignores a limit of 0 and an empty description. */
export async function updateLimit({ db }: Context, limit: Limit, fields: Fields): Promise<Limit> {
  const next: Limit = {
    ...limit,
    resourceLimit: (fields['resource_limit'] as number | undefined) || limit.resourceLimit,
    description: nullableText(fields, 'description') || limit.description,
  };
  await store.updateLimit(db, next);
  return next;
}

/** Deletes a limit. */
export const deleteLimit = ({ db }: Context, { id }: Limit): Promise<void> =>
  store.deleteLimit(db, id);
