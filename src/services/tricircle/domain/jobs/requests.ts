// Reads the body of a request for a new job. Upstream: tricircle/api/controllers/job.py.
import { pythonRepr } from '../../../../kernel/oslo/python-repr.ts';
import type { Context } from '../../../../kernel/model.ts';
import { listRoutings } from '../../store/routings.ts';
import { isLonger, objectUnder, readText, type Fields } from '../fields.ts';
import type { AsyncJob } from '../../model.ts';
import { typed } from '../errors.ts';
import { findJobType } from './types.ts';

const invalid = (message: string) => typed(400, message);

/** Formats a set as Python does. */
const pythonSet = (names: readonly string[]): string =>
  `{${names.map((name) => pythonRepr(name)).join(', ')}}`;

/** Reads the task of a new job. @throws 400, in upstream's order */
export async function readJob(
  context: Context,
  job: Fields,
): Promise<Pick<AsyncJob, 'type' | 'projectId' | 'resourceId'>> {
  for (const field of ['type', 'project_id']) {
    if ((job[field] ?? null) === null) throw invalid(`${field} isn't provided in request body`);
    if (readText(job[field]) === undefined) throw invalid(`${field} can't be empty`);
  }
  const [type, projectId] = [String(job['type']), String(job['project_id'])];
  const jobType = findJobType(type);
  if (!jobType) throw invalid(`There is no such job type: ${type}`);
  if (isLonger(projectId, 64)) throw invalid('project_id is too long');
  const resource = objectUnder(job, 'resource');
  if (!resource) throw invalid('Failed to create job, because the resource is not specified');
  const { keys, owned } = jobType;
  // Upstream's client sends null for missing arguments.
  const missing = keys.filter(
    (key) => !Object.hasOwn(resource, key) || typeof resource[key] !== 'string',
  );
  if (missing.length)
    throw invalid(`Some required fields are not specified: ${pythonSet(missing)}`);
  const redundant = Object.keys(resource).filter((key) => !keys.includes(key));
  if (redundant.length) throw invalid(`Some fields are redundant: ${pythonSet(redundant)}`);
  if (owned)
    await requireOwner(context, owned.resourceType, String(resource[owned.key]), projectId);
  else if (resource['project_id'] !== projectId)
    throw invalid(
      `Specified project_id ${projectId} and resource's project_id ${String(resource['project_id'])} are different`,
    );
  const resourceId = JSON.stringify(keys.map((key) => resource[key]));
  if (isLonger(resourceId, 255))
    throw invalid('Failed to create job, because the resource is too long');
  return { type, projectId, resourceId };
}

/** A resource belongs to the project of its routing. @throws 400 */
async function requireOwner(
  { db }: Context,
  resourceType: string,
  topId: string,
  projectId: string,
): Promise<void> {
  const routings = await listRoutings(db, { topId, projectId, resourceType });
  if (!routings.length)
    throw invalid(`${resourceType} ${topId} doesn't belong to the project ${projectId}`);
}
