// Taking a snapshot: all databases of the cloud, each as it is at one moment, one after the other.
import { emulatedNow } from '../../kernel/clock.ts';
import { contentsOf } from './contents.ts';
import { withAdvisoryLock } from '../../kernel/db/advisory-lock.ts';
import {
  beginSnapshot,
  deleteAbandoned,
  deleteSnapshot,
  endSnapshot,
  nameSnapshot,
  type Snapshot,
} from './store.ts';
import { readSharedValues } from '../../kernel/db/state.ts';
import { readSnapshot, transact } from '../../kernel/db/transaction.ts';
import type { Cloud } from '../../kernel/model.ts';
import { followRegions, serializeRegionChanges } from '../../kernel/regions.ts';
import { centralName, headerOf, type Header } from './document.ts';
import { PartWriter } from './parts.ts';

/**
 * Does something while nobody takes, replaces, drops or restores a snapshot, in any process, and
 * the regions of this one neither come nor go. This process knows all of them then.
 */
export const exclusively = <T>(cloud: Cloud, run: () => Promise<T>): Promise<T> =>
  serializeRegionChanges(cloud, () =>
    withAdvisoryLock(cloud.config.database, 'snapshots', async () => {
      await followRegions(cloud);
      return run();
    }),
  );

/** Takes a snapshot in the place of any that has the name. */
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
 * Takes a snapshot without a name, which who asks for it must name or delete. To be called
 * exclusively.
 */
export async function takeUnnamed(cloud: Cloud): Promise<Snapshot> {
  const { central } = cloud;
  await transact(central.db, deleteAbandoned);
  return writtenBy(cloud, async (writer) => {
    // Regions come first: what they refer to in the central database is written there before.
    for (const { name, database } of cloud.regions.values())
      await readSnapshot(database, (db) =>
        writer.write(central.db, name, contentsOf(database, db)),
      );
    return readSnapshot(central, async (db) => {
      const { clock } = await readSharedValues(db);
      // SQLite has one connection.
      await writer.write(
        central.kind === 'sqlite' ? db : central.db,
        centralName,
        contentsOf(central, db),
      );
      return headerOf(cloud, clock, emulatedNow(clock));
    });
  });
}

/** Writes a snapshot without a name, or nothing of it. `fill` writes its parts. */
export async function writtenBy(
  { central }: Cloud,
  fill: (writer: PartWriter) => Promise<Header>,
): Promise<Snapshot> {
  const { id } = await beginSnapshot(central);
  try {
    const writer = new PartWriter(id);
    const header = await fill(writer);
    return await endSnapshot(central, id, {
      header: JSON.stringify(header),
      size: writer.size,
      rowCount: writer.rowCount,
    });
  } catch (error) {
    // what is left goes with the next one
    await transact(central.db, (db) => deleteSnapshot(db, id)).catch(() => undefined);
    throw error;
  }
}
