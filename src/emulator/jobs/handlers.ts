// Handlers of /_emulator/jobs: the queues of jobs, and the jobs that were set aside.
import { emulatedNow, isoMicros, SECOND } from '../../kernel/clock.ts';
import type { Database } from '../../kernel/db/database.ts';
import { conflict, notFound } from '../../kernel/errors.ts';
import { noContent, ok } from '../../kernel/http/reply.ts';
import type { Call, Cloud, JobRunner, Reply } from '../../kernel/model.ts';
import { regionNamed, syncRegions } from '../../kernel/regions.ts';
import { stateOf, type JobState, type QueuedJob } from './model.ts';
import { dropJob, findJob, listJobs, resumeJob } from './store.ts';

/** The jobs of a database: a region's, or those of the services that all regions share. */
interface Queue {
  /** Null for the services that all regions share. */
  readonly region: string | null;
  readonly database: Database;
  readonly runner: JobRunner;
}

/** The name of the central queue in ids. No region can have it. */
const centralName = 'central';

/** How many jobs a list has at most, unless the request gives a limit. */
const defaultLimit = 1000;

function queuesOf({ central, centralJobs, regions }: Cloud): Queue[] {
  return [
    { region: null, database: central, runner: centralJobs },
    ...[...regions.values()].map(({ name, database, jobs }) => ({
      region: name,
      database,
      runner: jobs,
    })),
  ];
}

const view = (region: string | null, job: QueuedJob): object => ({
  id: `${region ?? centralName}-${job.id}`,
  region,
  service: job.kind.split('.')[0],
  kind: job.kind,
  subject: job.subject,
  due_at: isoMicros(job.dueAt),
  state: stateOf(job),
  period_seconds: job.period === null ? null : job.period / SECOND,
  failures: job.failures,
  error: job.error,
});

/** GET /_emulator/jobs: in the order in which they run. @throws 400 */
export async function list({ cloud, query }: Call): Promise<Reply> {
  await syncRegions(cloud);
  const region = query.last('region');
  if (region !== undefined && region !== centralName) regionNamed(cloud, region);
  const queues = queuesOf(cloud).filter(
    (queue) => region === undefined || region === (queue.region ?? centralName),
  );
  const limit = Number(query.last('limit') ?? defaultLimit);
  const filter = {
    service: query.last('service'),
    kind: query.last('kind'),
    state: query.last('state') as JobState | undefined,
    limit,
  };
  const found = await Promise.all(
    queues.map(async (queue) =>
      (await listJobs(queue.database.db, filter)).map((job) => ({ ...queue, job })),
    ),
  );
  const sorted = found.flat().toSorted((one, other) => one.job.dueAt - other.job.dueAt);
  return ok({ jobs: sorted.slice(0, limit).map(({ region: name, job }) => view(name, job)) });
}

/**
 * POST /_emulator/jobs/:id/retry: lets a job that was set aside run again, at the current time.
 * @throws 404, 409
 */
export async function retry(call: Call): Promise<Reply> {
  const { cloud } = call;
  const { queue, job } = await find(call);
  const { db } = queue.database;
  const now = emulatedNow((await cloud.sharedState.refresh()).clock);
  if (!(await resumeJob(db, job.id, now)))
    throw conflict(`The job ${call.params['id']} is not set aside.`);
  queue.runner.wake();
  const resumed = { ...job, dueAt: now, setAsideAt: null, error: null, failures: 0 };
  return ok({ job: view(queue.region, resumed) });
}

/** DELETE /_emulator/jobs/:id @throws 404, 409 */
export async function remove(call: Call): Promise<Reply> {
  const { queue, job } = await find(call);
  if (!(await dropJob(queue.database.db, job.id)))
    throw conflict(`The job ${call.params['id']} is running.`);
  return noContent();
}

/** @throws 404 */
async function find({
  cloud,
  params,
}: Call): Promise<{ readonly queue: Queue; readonly job: QueuedJob }> {
  await syncRegions(cloud);
  const [, name, number] = /^(\w+)-(\d{1,15})$/.exec(params['id']!) ?? [];
  const queue = queuesOf(cloud).find(({ region }) => name === (region ?? centralName));
  const job = queue && (await findJob(queue.database.db, Number(number)));
  if (!queue || !job)
    throw notFound(`There is no job '${params['id']}'. GET /_emulator/jobs lists all jobs.`);
  return { queue, job };
}
