// The journal as a power: switched on and off for all processes, emptied, and read.
import { pause } from '../../kernel/clock.ts';
import {
  afterWriters,
  deleteEntries,
  findEntry,
  listedEntries,
  trimEntries,
  type NumberedEntry,
} from './store.ts';
import { bumpSharedRevision, sharedStateMaxAge, writeSharedValue } from '../../kernel/db/state.ts';
import { transact } from '../../kernel/db/transaction.ts';
import { conflict, notFound } from '../../kernel/errors.ts';
import type { Cloud } from '../../kernel/model.ts';
import type { FaultScope } from '../fault-injection/model.ts';

/**
 * Has all processes keep so many requests; none where it is 0, and then those that are kept go.
 * Once this returns all go by it.
 */
export async function keepJournal(cloud: Cloud, keep: number): Promise<void> {
  const { journalLimit: journalKeep } = await cloud.sharedState.refresh();
  if (keep !== journalKeep)
    await transact(cloud.central.db, (db) => writeSharedValue(db, 'journal.limit', String(keep)));
  await settled(cloud);
  if (keep === 0) await emptyJournal(cloud);
  else if (keep < journalKeep) await trimEntries(cloud.central.db, keep);
}

/**
 * Empties the journal. What another process has noted before, and not written yet, comes too late
 * for it.
 */
export async function emptyJournal(cloud: Cloud): Promise<void> {
  await transact(cloud.central.db, (db) => bumpSharedRevision(db, 'journal.generation'));
  await settled(cloud);
  await deleteEntries(cloud.central.db);
}

/**
 * Takes away the requests to a region, a service, or a service in a region. Central services are in
 * no region.
 */
export async function removeEntries(cloud: Cloud, { region, service }: FaultScope): Promise<void> {
  await settled(cloud);
  await deleteEntries(cloud.central.db, {
    ...(region === undefined ? {} : { region }),
    ...(service === undefined ? {} : { service }),
  });
}

/**
 * What this process has noted is written, and other processes have had the time to write what they
 * have, and to learn what is shared.
 */
async function settled(cloud: Cloud): Promise<void> {
  cloud.sharedState.invalidate();
  await cloud.journal.flush();
  if (cloud.central.kind !== 'mysql') return;
  await pause(sharedStateMaxAge + 1);
  await afterWriters(cloud.central);
}

/** The journal as it is when it is read. */
export interface OpenJournal {
  readonly keep: number;
  /** The entries between two numbers, the newest first. */
  entries(after?: number, before?: number): AsyncGenerator<NumberedEntry>;
}

/**
 * Opens the journal. It has what this process has answered before, and other processes a few
 * milliseconds ago.
 * @throws 409 where it is off
 */
export async function openJournal(cloud: Cloud): Promise<OpenJournal> {
  const { keep, era } = await lookedUp(cloud);
  return {
    keep,
    entries: (after, before) =>
      listedEntries(cloud.central.db, { generation: era, keep, after, before }),
  };
}

/** The entry with a number, or with a request id. @throws 404; 409 where the journal is off */
export async function journalEntry(cloud: Cloud, name: string): Promise<NumberedEntry> {
  const { era } = await lookedUp(cloud);
  const found = await findEntry(
    cloud.central.db,
    era,
    /^\d{1,9}$/.test(name) ? Number(name) : name,
  );
  if (!found)
    throw notFound(
      `The journal has no request '${name}'. GET /_emulator/requests lists those that it has.`,
    );
  return found;
}

async function lookedUp(cloud: Cloud): Promise<{ keep: number; era: number }> {
  const { journalLimit: keep, journalGeneration: era } = await cloud.sharedState.refresh();
  if (!keep)
    throw conflict(
      'The journal is off. Switch it on with PUT /_emulator/requests {"keep": 1000} or cumulet requests keep 1000, or start with --journal 1000.',
    );
  await settled(cloud);
  return { keep, era };
}
