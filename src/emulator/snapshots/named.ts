// Named snapshots, and documents: what can be asked for.
import { deleteSnapshot, findSnapshot, listedSnapshots, type Snapshot } from './store.ts';
import { transact } from '../../kernel/db/transaction.ts';
import { badRequest, notFound } from '../../kernel/errors.ts';
import type { Cloud } from '../../kernel/model.ts';
import { withDocument } from './checking.ts';
import { headerOf, lastLine, type Header, type Source } from './document.ts';
import { headerIn, sourceOf, storedLines, textsOf } from './parts.ts';
import { linesIn, type Line } from './reading.ts';
import { checkRegions, restoreCloud } from './restore.ts';
import { exclusively, takeUnnamed } from './take.ts';

/** The snapshot of that name. @throws 404 */
export async function snapshotNamed({ central }: Cloud, name: string): Promise<Snapshot> {
  const found = await findSnapshot(central.db, name);
  if (found) return found;
  const names = (await listedSnapshots(central.db)).map((snapshot) => snapshot.name);
  throw notFound(`There is no snapshot '${name}'. Snapshots: ${names.join(', ') || 'none'}.`);
}

/** @throws 400 for what cannot be a name */
export function checkSnapshotName(name: string): void {
  if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(name))
    throw badRequest(
      `'${name}' cannot be a snapshot's name: up to 64 letters, digits, -, _ and ., beginning with a letter or a digit.`,
    );
}

/** @throws 404 */
export const dropSnapshot = (cloud: Cloud, name: string): Promise<void> =>
  exclusively(cloud, async () => {
    const { id } = await snapshotNamed(cloud, name);
    await transact(cloud.central.db, (db) => deleteSnapshot(db, id));
  });

/** Makes the cloud what it was when the snapshot was taken. @throws 404, 409 */
export const restoreSnapshot = (cloud: Cloud, name: string): Promise<void> =>
  exclusively(cloud, async () => restoreStored(cloud, await snapshotNamed(cloud, name)));

/**
 * The same of a snapshot that was found. One that an older emulator has taken is brought up to date
 * first. To be called exclusively.
 */
export async function restoreStored(cloud: Cloud, snapshot: Snapshot): Promise<void> {
  const restore = (source: Source): Promise<void> => restoreCloud(cloud, source);
  if (isOfNow(cloud, headerIn(snapshot))) return restore(sourceOf(snapshot));
  await withDocument(
    cloud,
    documentOf(cloud, snapshot),
    (header) => checkRegions(cloud, header),
    restore,
  );
}

/** Whether the tables of a snapshot are those of this emulator. */
export function isOfNow(cloud: Cloud, { central, regions }: Header): boolean {
  const now = headerOf(cloud, { frozenAt: null, offset: 0 }, 0);
  const same = (one: readonly string[], other: readonly string[]): boolean =>
    one.join() === other.join();
  return (
    same(central.migrations, now.central.migrations) &&
    regions.every(({ migrations }) => same(migrations, now.regions[0]!.migrations))
  );
}

/** A stored snapshot as the lines of its document. */
async function* documentOf({ central }: Cloud, snapshot: Snapshot): AsyncGenerator<Line> {
  let number = 1;
  yield { number, text: snapshot.header };
  for await (const text of storedLines(central.db, snapshot)) yield { number: ++number, text };
  yield { number: ++number, text: lastLine(snapshot.rowCount).trimEnd() };
}

/** The document of a snapshot, in texts. */
export async function* exportOf({ central }: Cloud, snapshot: Snapshot): AsyncGenerator<string> {
  yield `${snapshot.header}\n`;
  yield* textsOf(central.db, snapshot);
  yield lastLine(snapshot.rowCount);
}

/**
 * The document of what the cloud holds now, which is taken before this returns. What is left of it
 * goes when the texts have been read.
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
 * Makes the cloud what a document says.
 * @throws 400 with the place of what is wrong in it, 409 for one of another first or central region
 */
export const importDocument = (cloud: Cloud, bytes: AsyncIterable<Uint8Array>): Promise<void> =>
  withDocument(
    cloud,
    linesIn(bytes),
    (header) => checkRegions(cloud, header),
    (source) => exclusively(cloud, () => restoreCloud(cloud, source)),
  );
