// Reads, empties and resizes the request journal of all processes of a cloud.
import { pause } from '../../kernel/clock.ts';
import { commandName } from '../../kernel/command-line.ts';
import { bumpSharedRevisions, sharedStateMaxAge, writeSharedValue } from '../../kernel/db/state.ts';
import { transact } from '../../kernel/db/transaction.ts';
import { conflict, notFound } from '../../kernel/errors.ts';
import type { Cloud } from '../../kernel/model.ts';
import type { FaultScope } from '../fault-injection/model.ts';
import type { NumberedEntry } from './model.ts';
import { deleteEntries, findEntry, listEntries, trimEntries, waitForWriters } from './store.ts';

/**
 * Sets how many requests the journal retains; 0 switches it off and empties it. When this returns,
 * all processes use the new setting.
 */
export async function keepJournal(cloud: Cloud, keep: number): Promise<void> {
  const { journalLimit: previous } = await cloud.sharedState.refresh();
  if (keep !== previous)
    await transact(cloud.central.db, (db) => writeSharedValue(db, 'journal.limit', String(keep)));
  await flushAll(cloud);
  if (keep === 0) await emptyJournal(cloud);
  else if (keep < previous) await trimEntries(cloud.central.db, keep);
}

/**
 * Empties the journal. It starts a new generation, so that entries that other processes have
 * recorded before, but write only now, do not show up in it.
 */
export async function emptyJournal(cloud: Cloud): Promise<void> {
  await transact(cloud.central.db, (db) => bumpSharedRevisions(db, 'journal.generation'));
  await flushAll(cloud);
  await deleteEntries(cloud.central.db);
}

/**
 * Deletes the entries of a region, a service, or a service in a region. Requests to central
 * services belong to no region.
 */
export async function removeEntries(cloud: Cloud, { region, service }: FaultScope): Promise<void> {
  await flushAll(cloud);
  await deleteEntries(cloud.central.db, {
    ...(region === undefined ? {} : { region }),
    ...(service === undefined ? {} : { service }),
  });
}

/**
 * Writes this process's pending entries, then waits until the other processes have refreshed the
 * shared state and written theirs.
 */
async function flushAll(cloud: Cloud): Promise<void> {
  cloud.sharedState.invalidate();
  await cloud.journal.flush();
  if (cloud.central.kind !== 'mysql') return;
  await pause(sharedStateMaxAge + 1);
  await waitForWriters(cloud.central);
}

/** The current contents of the journal. */
export interface OpenJournal {
  readonly keep: number;
  /** Reads the entries between two numbers, the newest first. */
  entries(after?: number, before?: number): AsyncGenerator<NumberedEntry>;
}

/**
 * Opens the journal for reading. It contains all requests that this process has answered, and those
 * that other processes had answered a few milliseconds ago.
 * @throws 409 if the journal is off
 */
export async function openJournal(cloud: Cloud): Promise<OpenJournal> {
  const { keep, generation } = await flushedState(cloud);
  return {
    keep,
    entries: (after, before) => listEntries(cloud.central.db, { generation, keep, after, before }),
  };
}

/** Finds an entry by its number or its request id. @throws 404; 409 if the journal is off */
export async function journalEntry(cloud: Cloud, key: string): Promise<NumberedEntry> {
  const { generation } = await flushedState(cloud);
  const found = await findEntry(
    cloud.central.db,
    generation,
    /^\d{1,9}$/.test(key) ? Number(key) : key,
  );
  if (!found)
    throw notFound(
      `The journal has no request '${key}'. GET /_emulator/requests lists the recorded requests.`,
    );
  return found;
}

async function flushedState(cloud: Cloud): Promise<{ keep: number; generation: number }> {
  const { journalLimit: keep, journalGeneration: generation } = await cloud.sharedState.refresh();
  if (!keep)
    throw conflict(
      'The journal is off. Switch it on with PUT /_emulator/requests {"keep": 1000} or ' +
        `'${commandName()} requests keep 1000', or start with --journal 1000.`,
    );
  await flushAll(cloud);
  return { keep, generation };
}
