// Copies a cloud into the memory of the process, and throws the copy away afterwards.
import { transact } from '../../kernel/db/transaction.ts';
import type { Cloud } from '../../kernel/model.ts';
import { headerIn, sourceOf } from '../snapshots/parts.ts';
import { restoreSource } from '../snapshots/snapshots.ts';
import { deleteUnnamed } from '../snapshots/store/snapshots.ts';
import { exclusively, takeUnnamed } from '../snapshots/take.ts';
import { RegionClient, WorldClient } from '../worlds/client.ts';

/** Passes a copy of the cloud, which nobody else reaches, to `use`. */
export async function withCopy<T>(cloud: Cloud, use: (copy: Cloud) => Promise<T>): Promise<T> {
  const snapshot = await exclusively(cloud, () => takeUnnamed(cloud));
  try {
    const stored = sourceOf(snapshot);
    const header = headerIn(snapshot);
    const source = {
      header,
      size: snapshot.size,
      contents: (database: string) => stored.contents(database, cloud.central.db),
    };
    const fields = {
      regions: header.regions.map(({ name }) => name),
      auth: cloud.config.auth,
      hosts: '0',
    };
    return await cloud.withTemporaryCloud(fields, async (copy) => {
      await exclusively(copy, () => restoreSource(copy, source));
      return use(copy);
    });
  } finally {
    await transact(cloud.central.db, (db) => deleteUnnamed(db, snapshot.id));
  }
}

/** A client of a region of the copy, which acts as admin. */
export function clientFor(copy: Cloud, name: string): RegionClient {
  const region = copy.regions.get(name)!;
  return new RegionClient(new WorldClient(copy), region, region === copy.firstRegion);
}
