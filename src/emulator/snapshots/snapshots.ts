// Finds, drops, restores, exports and imports snapshots.
import type { Db } from '../../kernel/db/database.ts';
import { releaseSpace, requireSpace } from '../../kernel/db/disk-space.ts';
import { transact } from '../../kernel/db/transaction.ts';
import { badRequest, notFound } from '../../kernel/errors.ts';
import type { Cloud } from '../../kernel/model.ts';
import { withDocument, type Checks } from './document-checker.ts';
import { linesIn } from './document-reader.ts';
import { databasesOf, headerOf, lastLine } from './document.ts';
import type { CheckedSource, Header, Line, Snapshot } from './model.ts';
import { headerIn, storedLines, textsOf } from './parts.ts';
import { checkRegions, completeRestore, restoreCloud, unchanged } from './restore.ts';
import { readPending } from './store/pending.ts';
import {
  deleteAbandoned,
  deleteSnapshot,
  deleteUnnamed,
  findSnapshot,
  hasUnnamed,
  listSnapshots,
} from './store/snapshots.ts';
import { exclusively, takeUnnamed, writeSnapshot } from './take.ts';

/** The snapshot of that name. @throws 404 */
export async function snapshotNamed({ central }: Cloud, name: string): Promise<Snapshot> {
  const found = await findSnapshot(central.db, name);
  if (found) return found;
  const names = (await listSnapshots(central.db)).map((snapshot) => snapshot.name);
  throw notFound(`There is no snapshot '${name}'. Snapshots: ${names.join(', ') || 'none'}.`);
}

/** @throws 400 if the name is invalid */
export function checkSnapshotName(name: string): void {
  if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(name))
    throw badRequest(
      `'${name}' is not a valid snapshot name. Use up to 64 letters, digits, -, _ and ., ` +
        'beginning with a letter or digit.',
    );
}

/** Deletes a snapshot. @throws 404 */
export const dropSnapshot = (cloud: Cloud, name: string): Promise<void> =>
  exclusively(cloud, async () => {
    await completeRestore(cloud); // which may need the snapshot
    const { id } = await snapshotNamed(cloud, name);
    await transact(cloud.central.db, (db) => deleteSnapshot(db, id));
  });

/** Restores the state of the cloud when the snapshot was taken. @throws 404, 409 */
export const restoreSnapshot = (cloud: Cloud, name: string): Promise<void> =>
  exclusively(cloud, async () => restoreStored(cloud, await snapshotNamed(cloud, name)));

/**
 * Restores a stored snapshot. If an older emulator has taken it, its rows are migrated first. Must
 * run within `exclusively`.
 */
export async function restoreStored(cloud: Cloud, snapshot: Snapshot): Promise<void> {
  if (hasCurrentSchema(cloud, headerIn(snapshot))) return restoreCloud(cloud, snapshot);
  await withDocument(
    cloud,
    documentOf(cloud, snapshot),
    { checkHeader: (header) => checkRegions(cloud, header), allowsInconsistent: true },
    (source) => restoreSource(cloud, source),
  );
}

/**
 * Restores a state that is not in the central database yet. It is stored there first, so that the
 * restore can be completed even if the process is killed. Must run within `exclusively`.
 */
export async function restoreSource(cloud: Cloud, source: CheckedSource): Promise<void> {
  const { central } = cloud;
  try {
    const snapshot = await storeSource(cloud, source).catch((error: unknown) => {
      throw unchanged(error);
    });
    try {
      await restoreCloud(cloud, snapshot);
    } finally {
      if (!(await readPending(central.db)))
        await transact(central.db, (db) => deleteUnnamed(db, snapshot.id));
    }
  } catch (error) {
    await releaseSpace(central);
    throw error;
  }
}

/**
 * How much disk space a restore needs, as a multiple of the size of the state: for the stored parts
 * and their copy in the log, and for the log of the regions.
 */
const spaceFactor = 4;

/**
 * Stores a state as a snapshot without a name. SQLite does that in one transaction: if the disk
 * becomes full, it could not delete the parts that have been committed.
 * @throws the error of a full disk if there is no space to restore the snapshot
 */
export async function storeSource(
  { central, config }: Cloud,
  source: CheckedSource,
): Promise<Snapshot> {
  requireSpace(config.database, spaceFactor * source.size);
  const store = (db: Db): Promise<Snapshot> =>
    writeSnapshot({ ...central, db }, async (writer) => {
      for (const { name } of databasesOf(source.header))
        await writer.write(db, name, source.contents(name, db));
      return source.header;
    });
  return central.kind === 'sqlite' ? transact(central.db, store) : store(central.db);
}

/**
 * Cleans up at a start after a process that was killed: completes its restore if that has begun to
 * commit, and deletes what it was about to restore or export, unless another process may still do.
 */
export async function recoverSnapshots(cloud: Cloud): Promise<void> {
  const { central } = cloud;
  if (await readPending(central.db)) await exclusively(cloud, () => completeRestore(cloud));
  if (central.kind !== 'sqlite' || !(await hasUnnamed(central.db))) return;
  await transact(central.db, (db) => deleteAbandoned(db, 0));
  await releaseSpace(central);
}

/** Whether a snapshot's tables have the schema of this emulator. */
export function hasCurrentSchema(cloud: Cloud, { central, regions }: Header): boolean {
  const current = headerOf(cloud, { frozenAt: null, offset: 0 }, 0);
  const same = (one: readonly string[], other: readonly string[]): boolean =>
    one.join() === other.join();
  return (
    same(central.migrations, current.central.migrations) &&
    regions.every(({ migrations }) => same(migrations, current.regions[0]!.migrations))
  );
}

/** Reads a stored snapshot as the lines of its document. */
async function* documentOf({ central }: Cloud, snapshot: Snapshot): AsyncGenerator<Line> {
  let number = 1;
  yield { number, text: snapshot.header };
  for await (const text of storedLines(central.db, snapshot)) yield { number: ++number, text };
  yield { number: ++number, text: lastLine(snapshot.rowCount).trimEnd() };
}

/** Reads the document of a snapshot, in texts of whole lines. */
export async function* exportOf({ central }: Cloud, snapshot: Snapshot): AsyncGenerator<string> {
  yield `${snapshot.header}\n`;
  yield* textsOf(central.db, snapshot);
  yield lastLine(snapshot.rowCount);
}

/**
 * Takes a temporary snapshot of the current state, and returns a reader of its document. The
 * snapshot is deleted when the reader has finished.
 */
export async function exportNow(cloud: Cloud): Promise<AsyncGenerator<string>> {
  const snapshot = await exclusively(cloud, () => takeUnnamed(cloud));
  return (async function* () {
    try {
      yield* exportOf(cloud, snapshot);
    } finally {
      await transact(cloud.central.db, (db) => deleteSnapshot(db, snapshot.id));
    }
  })();
}

/**
 * Restores the state in a document.
 * @throws 400 with the line of the first error; 409 if the first or central region differs
 */
export const importDocument = (
  cloud: Cloud,
  bytes: AsyncIterable<Uint8Array>,
  { allowsInconsistent }: Pick<Checks, 'allowsInconsistent'> = {},
): Promise<void> =>
  withDocument(
    cloud,
    linesIn(bytes),
    {
      checkHeader: (header) => checkRegions(cloud, header),
      allowsInconsistent,
      hint: ' (--allow-inconsistent imports it all the same)',
    },
    (source) => exclusively(cloud, () => restoreSource(cloud, source)),
  );
