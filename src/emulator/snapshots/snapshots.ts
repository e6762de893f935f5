// Finds, drops, restores, exports and imports snapshots.
import { transact } from '../../kernel/db/transaction.ts';
import { badRequest, notFound } from '../../kernel/errors.ts';
import type { Cloud } from '../../kernel/model.ts';
import { withDocument } from './document-checker.ts';
import { linesIn } from './document-reader.ts';
import { headerOf, lastLine } from './document.ts';
import type { Header, Line, Snapshot, Source } from './model.ts';
import { headerIn, sourceOf, storedLines, textsOf } from './parts.ts';
import { checkRegions, restoreCloud } from './restore.ts';
import { deleteSnapshot, findSnapshot, listSnapshots } from './store/snapshots.ts';
import { exclusively, takeUnnamed } from './take.ts';

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
  const restore = (source: Source): Promise<void> => restoreCloud(cloud, source);
  if (hasCurrentSchema(cloud, headerIn(snapshot))) return restore(sourceOf(snapshot));
  await withDocument(
    cloud,
    documentOf(cloud, snapshot),
    (header) => checkRegions(cloud, header),
    restore,
  );
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
export const importDocument = (cloud: Cloud, bytes: AsyncIterable<Uint8Array>): Promise<void> =>
  withDocument(
    cloud,
    linesIn(bytes),
    (header) => checkRegions(cloud, header),
    (source) => exclusively(cloud, () => restoreCloud(cloud, source)),
  );
