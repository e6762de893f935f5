// What a client says of a new job, and what is refused of it. Upstream:
// tricircle/api/controllers/job.py.
import { pythonRepr } from '../../../../kernel/oslo/python-repr.ts';
import type { Context } from '../../../../kernel/model.ts';
import { listRoutings } from '../../store/routings.ts';
import { isLonger, objectUnder, textOf, type Fields } from '../fields.ts';
import type { AsyncJob } from '../../model.ts';
import { typed } from '../refusals.ts';
import { findJobType } from './types.ts';

const refuse = (message: string) => typed(400, message);

/** Sets as Python writes them. */
const setOf = (names: readonly string[]): string =>
  `{${names.map((name) => pythonRepr(name)).join(', ')}}`;

/** What the new job is about. @throws 400, in upstream's order */
export async function requestedJob(
  context: Context,
  job: Fields,
): Promise<Pick<AsyncJob, 'type' | 'projectId' | 'resourceId'>> {
  for (const field of ['type', 'project_id']) {
    if ((job[field] ?? null) === null) throw refuse(`${field} isn't provided in request body`);
    if (textOf(job[field]) === undefined) throw refuse(`${field} can't be empty`);
  }
  const [type, projectId] = [String(job['type']), String(job['project_id'])];
  const jobType = findJobType(type);
  if (!jobType) throw refuse(`There is no such job type: ${type}`);
  if (isLonger(projectId, 64)) throw refuse('project_id is too long');
  const resource = objectUnder(job, 'resource');
  if (!resource) throw refuse('Failed to create job, because the resource is not specified');
  const { keys, owned } = jobType;
  // The client sends null for what it was not given.
  const missing = keys.filter(
    (key) => !Object.hasOwn(resource, key) || typeof resource[key] !== 'string',
  );
  if (missing.length) throw refuse(`Some required fields are not specified: ${setOf(missing)}`);
  const redundant = Object.keys(resource).filter((key) => !keys.includes(key));
  if (redundant.length) throw refuse(`Some fields are redundant: ${setOf(redundant)}`);
  if (owned)
    await requireOwned(context, owned.resourceType, String(resource[owned.key]), projectId);
  else if (resource['project_id'] !== projectId)
    throw refuse(
      `Specified project_id ${projectId} and resource's project_id ${String(resource['project_id'])} are different`,
    );
  const resourceId = JSON.stringify(keys.map((key) => resource[key]));
  if (isLonger(resourceId, 255))
    throw refuse('Failed to create job, because the resource is too long');
  return { type, projectId, resourceId };
}

/** A resource belongs to a project where a routing says so. */
async function requireOwned(
  { db }: Context,
  resourceType: string,
  topId: string,
  projectId: string,
): Promise<void> {
  const routings = await listRoutings(db, { topId, projectId, resourceType });
  if (!routings.length)
    throw refuse(`${resourceType} ${topId} doesn't belong to the project ${projectId}`);
}
