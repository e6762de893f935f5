// A stream of what changes in the cloud, coalesced: which services, in which region.
import { pause, ticks } from '../../kernel/clock.ts';
import { watchTables, type TableWatch } from '../../kernel/db/drivers/changed-tables.ts';
import type { Database } from '../../kernel/db/database.ts';
import { bumpSharedRevisions, readSharedValue } from '../../kernel/db/state.ts';
import { runStatement } from '../../kernel/db/transaction.ts';
import type { Cloud } from '../../kernel/model.ts';

/** How often a stream looks for changes, by the kind of database; milliseconds. */
const pollIntervals = { sqlite: 250, mysql: 1_000 } as const;

/** How often a stream shows that it is alive; milliseconds. */
const heartbeatInterval = 15_000;

/** Names of areas whose tables have other prefixes. */
const areas: Readonly<Record<string, string>> = {
  cumulet: 'emulator',
  faults: 'emulator',
  throwaway: 'emulator',
};

/** The service or feature that a table belongs to, by the first word of its name. */
function areaOf(table: string): string {
  const [first = table] = table.split('_');
  return areas[first] ?? first;
}

/** Tells the streams that a reset or a restore has replaced the state. */
export const announceReplacement = (cloud: Cloud): Promise<void> =>
  runStatement(cloud.central.db, (db) => bumpSharedRevisions(db, 'state.generation'));

const generationOf = async (cloud: Cloud): Promise<number> =>
  Number((await readSharedValue(cloud.central.db, 'state.generation')) ?? 0);

/** A change as the API shows it. */
interface Change {
  /** Null for the central database, which all regions share. */
  readonly region: string | null;
  readonly services: readonly string[];
}

const event = (name: string, data: object): string =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/**
 * Streams changes as server-sent events, from now on, until the emulator stops or `lasts`
 * milliseconds have passed. It sees those of other processes too.
 */
export async function* followChanges(cloud: Cloud, lasts: number): AsyncGenerator<string> {
  const watches = new DatabaseWatches(cloud);
  try {
    let generation = await generationOf(cloud);
    await watches.take();
    const started = ticks();
    yield event('hello', { process: cloud.processId, generation });
    let sentAt = started;
    while (!cloud.stopping.signal.aborted && ticks() - started < lasts) {
      await pause(Math.min(pollIntervals[cloud.central.kind], lasts));
      const changes = await watches.take();
      const isEmulator = changes.some(({ services }) => services.includes('emulator'));
      const current = isEmulator ? await generationOf(cloud) : generation;
      if (current !== generation) yield event('replaced', { generation: current });
      generation = current;
      for (const change of changes) yield event('change', change);
      if (changes.length) sentAt = ticks();
      else if (ticks() - sentAt > heartbeatInterval) {
        yield ': alive\n\n';
        sentAt = ticks();
      }
    }
  } finally {
    watches.stop();
  }
}

/** Watches the databases of a cloud, those of regions that are added meanwhile too. */
class DatabaseWatches {
  private readonly cloud: Cloud;
  private readonly watches = new Map<Database, TableWatch>();

  constructor(cloud: Cloud) {
    this.cloud = cloud;
  }

  async take(): Promise<readonly Change[]> {
    const { central, regions } = this.cloud;
    const databases: [string | null, Database][] = [[null, central]];
    for (const { name, database } of regions.values()) databases.push([name, database]);
    this.drop(new Set(databases.map(([, database]) => database)));
    const changes: Change[] = [];
    for (const [region, database] of databases) {
      const services = new Set([...(await this.watchOf(database).take())].map(areaOf));
      if (services.size) changes.push({ region, services: [...services].toSorted() });
    }
    return changes;
  }

  stop(): void {
    this.drop(new Set());
  }

  private watchOf(database: Database): TableWatch {
    const watch = this.watches.get(database) ?? watchTables(database);
    this.watches.set(database, watch);
    return watch;
  }

  /** Stops the watches of databases that are not among these: their regions were dropped. */
  private drop(kept: ReadonlySet<Database>): void {
    for (const [database, watch] of this.watches)
      if (!kept.has(database)) {
        watch.stop();
        this.watches.delete(database);
      }
  }
}
