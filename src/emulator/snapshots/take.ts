// Takes snapshots: reads all databases of the cloud, one at a time and each in one transaction.
import { emulatedNow } from '../../kernel/clock.ts';
import { withAdvisoryLock } from '../../kernel/db/advisory-lock.ts';
import type { Database } from '../../kernel/db/database.ts';
import { readSharedValues } from '../../kernel/db/state.ts';
import { readSnapshot, transact } from '../../kernel/db/transaction.ts';
import type { Cloud } from '../../kernel/model.ts';
import { followRegions, serializeRegionChanges } from '../../kernel/regions.ts';
import { centralName, headerOf } from './document.ts';
import type { Header, Snapshot } from './model.ts';
import { PartWriter } from './parts.ts';
import { completeRestore } from './restore.ts';
import { contentsOf } from './store/contents.ts';
import {
  beginSnapshot,
  completeSnapshot,
  deleteAbandoned,
  deleteSnapshot,
  nameSnapshot,
} from './store/snapshots.ts';

/**
 * Runs an operation on snapshots. No process runs another one at the same time, and this process
 * adds and drops no regions. Its list of regions is up to date.
 */
export const exclusively = <T>(cloud: Cloud, run: () => Promise<T>): Promise<T> =>
  serializeRegionChanges(cloud, () =>
    withAdvisoryLock(cloud.config.database, 'snapshots', async () => {
      await followRegions(cloud);
      return run();
    }),
  );

/** Takes a snapshot, and overwrites an existing one of that name. */
export const takeSnapshot = (
  cloud: Cloud,
  name: string,
): Promise<{ snapshot: Snapshot; replaced: boolean }> =>
  exclusively(cloud, async () => {
    const snapshot = await takeUnnamed(cloud);
    return {
      snapshot: { ...snapshot, name },
      replaced: await nameSnapshot(cloud.central, snapshot.id, name),
    };
  });

/**
 * Takes a snapshot without a name. The caller must name it or delete it, and must run this within
 * `exclusively`.
 */
export async function takeUnnamed(cloud: Cloud): Promise<Snapshot> {
  const { central } = cloud;
  await completeRestore(cloud);
  await transact(central.db, (db) => deleteAbandoned(db));
  return writeSnapshot(central, async (writer) => {
    // Read regions before the central database: what they refer to there has been committed first.
    for (const { name, database } of cloud.regions.values())
      await readSnapshot(database, (db) =>
        writer.write(central.db, name, contentsOf(database, db)),
      );
    return readSnapshot(central, async (db) => {
      const { clock } = await readSharedValues(db);
      // SQLite has a single connection, so the parts are written in the reading transaction.
      await writer.write(
        central.kind === 'sqlite' ? db : central.db,
        centralName,
        contentsOf(central, db),
      );
      return headerOf(cloud, clock, emulatedNow(clock));
    });
  });
}

/** Writes a snapshot without a name; `fill` writes its parts. If it fails, nothing is left. */
export async function writeSnapshot(
  central: Database,
  fill: (writer: PartWriter) => Promise<Header>,
): Promise<Snapshot> {
  const { id } = await beginSnapshot(central);
  try {
    const writer = new PartWriter(id);
    const header = await fill(writer);
    return await completeSnapshot(central, id, {
      header: JSON.stringify(header),
      size: writer.size,
      rowCount: writer.rowCount,
    });
  } catch (error) {
    // If this fails too, a later snapshot deletes the rest.
    await transact(central.db, (db) => deleteSnapshot(db, id)).catch(() => undefined);
    throw error;
  }
}
