// Plays arrivals in the copy of a cloud, with requests to its services.
import { isoMicros, parseTime, SECOND, yieldToEventLoop, type Micros } from '../../kernel/clock.ts';
import { systemContext } from '../../kernel/context.ts';
import { transact } from '../../kernel/db/transaction.ts';
import { ApiError, badRequest } from '../../kernel/errors.ts';
import { decisionAbout } from '../what-if/drain.ts';
import type { RegionClient } from '../worlds/client.ts';
import { makeLeases } from '../worlds/makers/reservation.ts';
import { createServers } from '../worlds/makers/servers.ts';
import type { ServerEntry } from '../worlds/model.ts';
import type { Arrival, ClassUse, Played, Sample } from './model.ts';

/** How long a replay can be. */
const longest = 100 * 366 * 86_400 * SECOND;

/** How often the use of resources is read. */
const sampleCount = 100;

/** The order of what happens at the same time: departures make room, and samples see the result. */
const order = { departure: 0, arrival: 1, sample: 2 } as const;

/** What happens at a time. */
interface Event {
  readonly kind: keyof typeof order;
  readonly after: Micros;
  readonly run: () => Promise<void>;
}

/** What a replay is about, and what it has found out so far. */
interface Course {
  readonly region: RegionClient;
  readonly defaults: Partial<ServerEntry>;
  /** The time of the first arrival. */
  readonly from: Micros;
  /** The time between the first arrival and the last. */
  readonly span: Micros;
  readonly causes: Map<string, number>;
  readonly samples: Sample[];
}

/**
 * Plays arrivals: the first one at once, and the others as much later as they are in the trace. It
 * ends with the last arrival.
 * @throws 400 for a time that cannot be read
 */
export async function play(region: RegionClient, arrivals: readonly Arrival[]): Promise<Played> {
  const times = offsetsOf(arrivals);
  const body = { frozen: true };
  const clock = await region.client.ask('PUT', '/_emulator/clock', { body });
  const course: Course = {
    region,
    defaults: await defaultsFor(region, arrivals),
    from: parseTime(String(clock['now']))!,
    span: times.reduce((most, time) => Math.max(most, time), 0),
    causes: new Map(),
    samples: [],
  };
  await liftQuotas(region);
  await runAll(course, [
    ...arrivals.flatMap((arrival, index) => eventsOf(course, arrival, times[index]!)),
    ...sampling(course),
  ]);
  const { from, span, causes, samples } = course;
  const rejected = [...causes.values()].reduce((sum, count) => sum + count, 0);
  return {
    from: isoMicros(from),
    until: isoMicros(from + span),
    arrivals: arrivals.length,
    accepted: arrivals.length - rejected,
    causes,
    samples,
  };
}

/** The arrival of something, and its departure if that is within the replay. */
function eventsOf(course: Course, arrival: Arrival, after: Micros): Event[] {
  const { region, causes, span } = course;
  const { lasts = Infinity } = arrival;
  let servers: readonly string[] = [];
  const arrive = async (): Promise<void> => {
    const result = await admit(course, arrival);
    if (typeof result === 'string') causes.set(result, (causes.get(result) ?? 0) + 1);
    else servers = result;
  };
  const depart = (): Promise<void> => removeServers(region, servers);
  const events: Event[] = [
    { kind: 'arrival', after, run: arrive },
    { kind: 'departure', after: after + Math.round(lasts * SECOND), run: depart },
  ];
  return events.filter((event) => event.after <= span);
}

/** Reads the use of resources at equal distances, the last time at the end. */
function sampling({ region, from, span, samples }: Course): Event[] {
  const count = span ? sampleCount : 1;
  return Array.from({ length: count }, (_, index) => {
    const after = Math.round((span * (index + 1)) / count);
    const run = async (): Promise<void> => {
      const time = from + after;
      samples.push({ time: isoMicros(time), use: await useOf(region, time) });
    };
    return { kind: 'sample', after, run };
  });
}

/** Runs events in their order, with the clock moved from one to the next. */
async function runAll({ region, from }: Course, events: readonly Event[]): Promise<void> {
  const ordered = events.toSorted(
    (one, other) => one.after - other.after || order[one.kind] - order[other.kind],
  );
  let now = 0;
  for (const { after, run } of ordered) {
    if (after > now) {
      const to = isoMicros(from + after);
      await region.client.ask('POST', '/_emulator/clock/advance', { body: { to } });
      now = after;
    }
    await run();
    await yieldToEventLoop(); // other requests are served meanwhile
  }
}

/** How much later than the first one each arrival is. @throws 400 */
function offsetsOf(arrivals: readonly Arrival[]): Micros[] {
  const times = arrivals.map(({ at }, index) => {
    const time = typeof at === 'number' ? at * SECOND : parseTime(at);
    if (time === undefined)
      throw badRequest(`Arrival ${index + 1}: at must be a time or seconds, not '${at}'.`);
    return Math.round(time);
  });
  const first = times.reduce((least, time) => Math.min(least, time), Infinity);
  const offsets = times.map((time) => time - first);
  if (offsets.some((offset) => !(offset <= longest)))
    throw badRequest('All arrivals must be within a hundred years.');
  return offsets;
}

/** Lifts the quotas of the project that owns the servers whose entry names no project. */
async function liftQuotas(region: RegionClient): Promise<void> {
  const id = await region.client.projectId('admin');
  const body = { quota_set: { instances: -1, cores: -1, ram: -1, server_group_members: -1 } };
  await region.ask('PUT', `/compute/v2.1/os-quota-sets/${id}`, { body });
}

/** What servers have unless their entry says otherwise: no network, and the first image. */
async function defaultsFor(
  region: RegionClient,
  arrivals: readonly Arrival[],
): Promise<Partial<ServerEntry>> {
  const needsImage = arrivals.some(({ server }) => server && server.image === undefined);
  const image = needsImage ? (await region.listOf('image')).at(-1) : undefined;
  return { network: 'none', ...(image ? { image: String(image['id']) } : {}) };
}

/** Lets an arrival in. @returns the ids of its servers; a cause if it is rejected */
async function admit(
  { region, defaults }: Course,
  { server, lease }: Arrival,
): Promise<readonly string[] | string> {
  try {
    if (lease) {
      await makeLeases(region, [lease], (_path, step) => step());
      return [];
    }
    const made = await createServers(region, { ...defaults, ...server! });
    const ids = made.map(({ id }) => String(id));
    const failed = made.find(({ status }) => status === 'ERROR');
    if (!failed) return ids;
    const cause = await decisionAbout(region, String(failed['id']));
    await removeServers(region, ids);
    return withoutCounts(cause);
  } catch (error) {
    // Blazar itself answers 500 if there are not enough hosts.
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}

/** A cause without numbers of hosts: arrivals that are rejected for one reason count together. */
const withoutCounts = (cause: string): string => cause.replaceAll(/ \(\d+ of \d+\)/g, '');

async function removeServers(region: RegionClient, ids: readonly string[]): Promise<void> {
  for (const id of ids) await region.ask('DELETE', `/compute/v2.1/servers/${id}`);
}

/** How much of each resource class is allocated. */
async function useOf(
  { client: { cloud }, region }: RegionClient,
  now: Micros,
): Promise<readonly ClassUse[]> {
  const service = cloud.services.find(({ definition }) => definition.resourceUse);
  const use = service?.definition.resourceUse;
  if (!use) return [];
  return transact(region.database.db, (db, attempt) =>
    use(systemContext(cloud, region, db, now, attempt)),
  );
}
