// Doing what is due in a database before a request is served, in order, each job in a transaction of its own.
import { SECOND, ticks, type Micros } from './clock.ts';
import type { Database, Db } from './db/database.ts';
import { Contention, isDeadlock, isFull, isGone } from './db/errors.ts';
import { transact } from './db/transaction.ts';
import { beingDone, finish, nextJob, putOff, take, takeSpanning, type PendingJob } from './jobs.ts';
import type { Cloud, DueLook, JobHandler, Region, SpanningJob, Work } from './model.ts';
import { systemWork, takeCentralTurn, workWith } from './work.ts';

/** How long a process may go without looking for jobs that another one wrote down, in milliseconds. */
const lookEvery = 5;

/** How often in a row of jobs this process may come too late. */
const mostLost = 500;

/** How much later a job that failed is tried again. */
const putOffBy = SECOND;

/** How long due work waits for room on a full disk before it is tried again, in milliseconds. */
const fullFor = 1_000;

/** Where jobs are: a region's database, or the central one. */
interface Agenda {
  /** The region that the work of its jobs is for. */
  readonly region: Region;
  readonly database: Database;
  readonly due: DueLook;
}

const agendaOf = (region: Region): Agenda => ({ region, database: region.database, due: region.due });

const centralAgenda = ({ central, centralDue, firstRegion }: Cloud): Agenda => ({
  region: firstRegion,
  database: central,
  due: centralDue,
});

/**
 * Does everything in the region that is due by `now`. Each job sees its own due time as now, so that a clock that was moved by
 * weeks gives the same as weeks of waiting.
 */
export const settle = (cloud: Cloud, region: Region, now: Micros): Promise<void> | void =>
  settleAgenda(cloud, agendaOf(region), now);

/**
 * Does what is due in another region by now, for a spanning job of the work's own. Two regions that wait for each other would wait for
 * ever: the later one goes on without, and so does one that another process is ahead of. Who asks looks again.
 */
export async function settleOther(work: Work, region: Region): Promise<void> {
  const own = work.region.due;
  for (let look: DueLook | undefined = region.due; look; look = look.waitsFor) if (look === own) return;
  own.waitsFor = region.due;
  region.due.lookAt = -Infinity;
  try {
    await settle(work.cloud, region, work.now);
  } catch (error) {
    if (!(error instanceof Contention)) throw error;
  } finally {
    own.waitsFor = undefined;
  }
}

/** The same for the jobs of central services. */
export const settleCentral = (cloud: Cloud, now: Micros): Promise<void> | void => settleAgenda(cloud, centralAgenda(cloud), now);

/** Does everything in all databases that is due by `now`, in the order of time across them, whatever this process knows of their next look. */
export async function settleAll(cloud: Cloud, now: Micros): Promise<void> {
  const agendas = [centralAgenda(cloud), ...[...cloud.regions.values()].map(agendaOf)];
  for (;;) {
    const heads = await Promise.all(agendas.map(async (agenda) => ({ agenda, due: (await nextJob(agenda.database.db))?.dueAt })));
    const times = heads.flatMap(({ due }) => (due === undefined || due > now ? [] : [due]));
    if (!times.length) return;
    // The first of them, and all that is due there before the next of the others.
    const [first, second = now] = times.toSorted((a, b) => a - b);
    const { agenda } = heads.find(({ due }) => due === first)!;
    agenda.due.lookAt = -Infinity;
    await settleAgenda(cloud, agenda, second, now);
  }
}

/**
 * Whether a transaction sees something that is due by `now`. SQLite has one process, which knows what it has written down: there it is asked only
 * where a settling would look as well.
 */
export async function seesDue(db: Db, { kind }: Database, { lookAt }: DueLook, now: Micros): Promise<boolean> {
  if (kind === 'sqlite' && ticks() < lookAt) return false;
  const next = await nextJob(db);
  return next !== undefined && next.dueAt <= now;
}

/**
 * Does something while nothing that is due is done in this process: what is being done comes to its end first, and what is due meanwhile is
 * done after it. Afterwards nothing is known of what is due.
 */
export async function withoutSettling<T>(cloud: Cloud, run: () => Promise<T>): Promise<T> {
  const looks = (): DueLook[] => [cloud.centralDue, ...[...cloud.regions.values()].map(({ due }) => due)];
  // Two regions may wait for each other's work, so that all are taken at once, when all are at rest.
  for (let going; (going = looks().flatMap((due) => due.going ?? [])).length;) await Promise.allSettled(going);
  const held = looks();
  const done = run();
  const going = done.then(() => undefined);
  going.catch(() => undefined);
  for (const due of held) due.going = going;
  try {
    return await done;
  } finally {
    for (const due of held) Object.assign(due, { going: undefined, lookAt: -Infinity });
  }
}

/** `until` may lie before `now`, where another database comes in between: what fails is put off beyond both. */
function settleAgenda(cloud: Cloud, agenda: Agenda, until: Micros, now = until): Promise<void> | void {
  if (!agenda.due.going && ticks() < agenda.due.lookAt) return;
  return settleInTurn(cloud, agenda, until, now);
}

/** One look at a time in a process: of several that do the same job all but one would be undone, again and again. */
async function settleInTurn(cloud: Cloud, agenda: Agenda, until: Micros, now: Micros): Promise<void> {
  const { due } = agenda;
  while (due.going) await due.going.catch(() => {});
  if (ticks() < due.lookAt) return;
  due.going = doDue(cloud, agenda, until, now).finally(() => (due.going = undefined));
  await due.going;
}

async function doDue(cloud: Cloud, agenda: Agenda, until: Micros, now: Micros): Promise<void> {
  const failed = new Set<number>();
  for (let lost = 0; ;) {
    const next = await nextJob(agenda.database.db);
    if (!next || next.dueAt > until) break;
    const undone = await doNext(cloud, agenda, next, { until, later: now + putOffBy, failed });
    if (undone === 'full') {
      agenda.due.lookAt = ticks() + fullFor; // what only reads goes on meanwhile
      return;
    }
    // Another process is always a job ahead: what is due is being done, and there may be much of it.
    if (undone && ++lost > mostLost) throw undone;
  }
  agenda.due.lookAt = ticks() + lookEvery;
}

/**
 * Does the job that was seen to be due first. One that fails is a mistake of ours: all of it is undone, and it is logged and put off, so that its
 * region goes on without it and it is tried again. So is one of a kind that no service knows, which a newer version may have left.
 * @returns the contention, where another process has done it first, or others were faster again and again; `full` where there is no room for what it writes
 */
async function doNext(
  cloud: Cloud,
  agenda: Agenda,
  seen: PendingJob,
  { until, later, failed }: { until: Micros; later: Micros; failed: Set<number> },
): Promise<Contention | 'full' | undefined> {
  const { region, database } = agenda;
  let job: PendingJob | undefined;
  let spanning: SpanningJob | undefined;
  let work: Work | undefined;
  let isLost = false;
  let takenAt: Micros | undefined;
  try {
    await transact(database.db, async (db, attempt) => {
      if (database === cloud.central) await takeCentralTurn(db);
      job = attempt === 1 ? seen : await nextJob(db);
      if (!job || job.dueAt > until) return (job = undefined);
      isLost = !(await take(db, job));
      if (isLost) return (job = undefined);
      work = systemWork(cloud, region, db, job.dueAt, attempt);
      const handler = handlerOf(cloud, job.kind);
      spanning = typeof handler === 'function' ? undefined : handler;
      if (spanning) takenAt = await takeSpanning(db, job);
      else await (handler as JobHandler)(work, job);
    });
    if (isLost) return beingDone();
    if (job && spanning) {
      await spanning.spanning(workWith(work!, { db: database.db }), job);
      await finish(database.db, job, takenAt!);
    }
  } catch (error) {
    if (error instanceof Contention) return error;
    if (isFull(error)) {
      cloud.log.error({ err: error, database: database.name }, 'due work waits: the disk is full');
      return 'full';
    }
    if (!job || isDeadlock(error) || isGone(error)) throw error;
    const { id, kind, subject } = job;
    if (failed.has(id)) throw error; // it was put off and is due again: going on would never end
    failed.add(id);
    cloud.log.error({ err: error, database: database.name, job: kind, subject }, 'due work failed, and is put off');
    await putOff(database.db, job, later);
  }
  return undefined;
}

/** The service that knows the kind of job is looked for only when there is one to do, and not for every request. */
function handlerOf(cloud: Cloud, kind: string): JobHandler | SpanningJob {
  const found = cloud.services.find(({ card }) => card.jobs?.[kind])?.card.jobs?.[kind];
  if (!found) throw new Error(`No service knows jobs of the kind ${kind}.`);
  return found;
}
