// What the kernel knows of the world: a cloud has a clock, a central database and regions; a region has a database of its own.
import type { Config } from '../config.ts';
import type { Authenticate } from './auth/caller.ts';
import type { Database } from './db/open.ts';
import type { SharedState } from './db/state.ts';
import type { Call, Reply } from './http/reply.ts';
import type { Service } from './http/service.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

export interface Region {
  readonly name: string;
  readonly database: Database;
  /** When to look for due work again, by the counter `ticks`; and the look that is going on in this process. */
  readonly due: { lookAt: number; going?: Promise<void> | undefined };
}

/** Where a request can hang in more than its service: the emulator's own features attach here. */
export interface Hooks {
  /** Each is shown every answer, with how long it took in milliseconds. */
  readonly told: ((call: Call, reply: Reply, milliseconds: number) => void)[];
}

export interface Cloud {
  readonly config: Config;
  readonly log: Log;
  readonly central: Database;
  readonly shared: SharedState;
  readonly regions: ReadonlyMap<string, Region>;
  /** The region whose services are mounted without its name. */
  readonly firstRegion: Region;
  readonly services: readonly Service[];
  readonly authenticate: Authenticate;
  readonly hooks: Hooks;
  readonly metrics: Metrics;
  /** When the process opened the cloud, in `ticks`. */
  readonly openedAt: number;
}

/** The region's view of a central service: the central database in the place of the region's. */
export const databaseOf = (cloud: Cloud, service: Service, region: Region): Database =>
  service.card.home === 'region' ? region.database : cloud.central;
