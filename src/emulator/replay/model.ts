// Replays: arrivals of servers and leases that are played in a copy of the cloud, under one
// configuration of the scheduler or several.
import type { Change, Made } from '../what-if/model.ts';
import type { LeaseEntry, ServerEntry } from '../worlds/model.ts';

/** What arrives: a server or a lease, as in a world. */
export interface Arrival {
  /** A time such as `2026-11-20T12:00:00Z`, or seconds. Only the differences count. */
  readonly at: number | string;
  readonly server?: ServerEntry;
  readonly lease?: LeaseEntry;
  /** The seconds after which the server is deleted; it stays by default. */
  readonly lasts?: number;
}

/** What holds during a replay. */
export interface Configuration {
  readonly name?: string;
  /** Settings by service, as in `PUT /_emulator/{service}/settings`. */
  readonly settings?: Readonly<Record<string, object>>;
  /** Changes that are made before the first arrival. */
  readonly changes?: readonly Change[];
}

/** A request. */
export interface ReplayRequest {
  readonly region?: string;
  readonly configuration?: Configuration;
  readonly arrivals: readonly Arrival[];
}

/** How much of a resource class is allocated. */
export interface ClassUse {
  readonly name: string;
  /** What can be allocated: the total without what is reserved, times the allocation ratio. */
  readonly capacity: number;
  readonly used: number;
}

/** What is allocated at a time of a replay. */
export interface Sample {
  readonly time: string;
  readonly use: readonly ClassUse[];
}

/** What has happened in a replay. */
export interface Played {
  readonly from: string;
  readonly until: string;
  readonly arrivals: number;
  readonly accepted: number;
  /** How many arrivals each cause has rejected. */
  readonly causes: ReadonlyMap<string, number>;
  readonly samples: readonly Sample[];
}

/** A replay under a configuration. */
export interface Replay extends Played {
  readonly region: string;
  readonly configuration: string;
  readonly changes: readonly Made[];
}

/** The version of the format, which changes if a field changes its meaning or disappears. */
export const replayFormat = 1;

declare module '../../kernel/model.ts' {
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- merged declarations must agree
  interface ServiceDefinition<V extends string = string> {
    /** Lists how much of each resource class is allocated in a region. */
    readonly resourceUse?: (context: Context) => Promise<readonly ClassUse[]>;
  }
}
