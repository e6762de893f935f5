// The list of jobs: unfinished ones, followed by those that succeeded. Upstream:
// tricircle/api/controllers/job.py.
import type { Context } from '../../../../kernel/model.ts';
import type { Query } from '../../../../kernel/query.ts';
import * as store from '../../store/async-jobs.ts';
import { readFilters, readLimit } from '../pages.ts';
import type { AsyncJob, JobLog } from '../../model.ts';
import { typed } from '../errors.ts';

export interface JobPage {
  readonly jobs: readonly (AsyncJob | JobLog)[];
  readonly next: { readonly limit: number; readonly marker: string } | undefined;
}

/**
 * Lists a page of the jobs of the caller's own project. As upstream, `project_id` in the query is
 * ignored.
 * @throws 400
 */
export async function listJobPage(context: Context, query: Query): Promise<JobPage> {
  const limit = readLimit(query.last('limit'));
  const { type, status } = readFilters(query.entries(), ['project_id', 'type', 'status']);
  const filter = { projectId: context.actor.projectId ?? '', type, status: status?.toUpperCase() };
  const { unfinished, logged } = await findMarkers(context, query.last('marker'));
  const jobs = logged
    ? []
    : await store.listJobs(context.db, { ...filter, limit, after: unfinished });
  const isDone = filter.status === undefined || filter.status === 'SUCCESS';
  const rest = limit - jobs.length;
  const logs =
    isDone && rest > 0
      ? await store.listLogs(context.db, { ...filter, limit: rest, after: logged })
      : [];
  const all = [...jobs, ...logs];
  const last = all.at(-1);
  return { jobs: all, next: last && all.length >= limit ? { limit, marker: last.id } : undefined };
}

interface Markers {
  readonly unfinished?: AsyncJob | undefined;
  readonly logged?: JobLog | undefined;
}

async function findMarkers({ db }: Context, id: string | undefined): Promise<Markers> {
  if (id === undefined) return {};
  const unfinished = await store.findJob(db, id);
  const logged = unfinished ? undefined : await store.findLog(db, id);
  if (!unfinished && !logged) throw typed(400, `Invalid marker: ${id}`);
  return { unfinished, logged };
}
