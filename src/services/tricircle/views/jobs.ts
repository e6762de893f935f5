// The views of asynchronous jobs.
import type { JobPage } from '../domain/jobs/list.ts';
import { jobTypes, resourceOf } from '../domain/jobs/types.ts';
import type { AsyncJob, JobLog } from '../model.ts';
import { nextLink } from './links.ts';
import { timeView } from './times.ts';

/** Jobs in the log have no status, because they have succeeded. */
export const jobView = (job: AsyncJob | JobLog): object => ({
  id: job.id,
  project_id: job.projectId,
  type: job.type,
  timestamp: timeView(job.timestamp),
  status: 'status' in job ? job.status : 'SUCCESS',
  resource: resourceOf(job.type, job.resourceId),
});

export const jobPageView = ({ jobs, next }: JobPage): object => ({
  jobs: jobs.map(jobView),
  ...(next ? { jobs_links: nextLink('/v1.0/jobs', next) } : {}),
});

export const schemasView = (): object => ({
  schemas: jobTypes.map(({ name, keys }) => ({ type: name, resource: keys })),
});
