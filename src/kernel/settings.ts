// The settings of a cloud, from flags and environment variables, as one frozen object.
import type { Micros } from './clock.ts';
import type { DatabaseUrl } from './db/database.ts';

/** The default password of admin and demo in a new cloud. */
export const defaultPassword = 'secret';

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;

export const generationStrategies = ['depth-first', 'breadth-first'] as const;

/** A port that serves one service of the first region at the root. */
export interface Listen {
  readonly service: string;
  readonly host: string | undefined;
  readonly port: number;
}

/** A pod of Tricircle in a new cloud. Without a zone it is the central region. */
export interface PodSeed {
  readonly region: string;
  readonly azName: string;
  readonly podAzName: string;
  readonly dcName: string;
  /** The resource affinity tag; null for a general pod. */
  readonly tag: Readonly<Record<string, string>> | null;
}

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly database: DatabaseUrl;
  /**
   * The regions to open or create, besides those that the cloud has already. Empty for one region
   * with the default name in a new cloud.
   */
  readonly regions: readonly string[];
  /** The name of the central region. */
  readonly centralRegion: string;
  /** The pods of Tricircle in a new cloud, the oldest first. */
  readonly pods: readonly PodSeed[];
  readonly auth: 'keystone' | 'noauth2';
  /** The Keystone of another cloud that validates tokens instead of this cloud's own. */
  readonly keystone: string | undefined;
  readonly policyDir: string | undefined;
  readonly corsOrigin: readonly string[];
  readonly listen: readonly Listen[];
  readonly adminPassword: string;
  /** The document with the initial state of a new cloud, also after a full reset. */
  readonly seed: string | undefined;
  /** The compute hosts of a new region: their number, or a file that describes them. */
  readonly hosts: string;
  readonly controlToken: string | undefined;
  readonly logLevel: string;
  /**
   * How many requests the journal keeps, 0 for none; undefined to keep the cloud's last setting.
   */
  readonly journal: number | undefined;
  /** The number of processes that serve the port. */
  readonly workers: number;
  /**
   * The simulated duration of operations, by names such as `server.create`; 0 by default.
   */
  readonly latency: Readonly<Record<string, Micros>>;
  /** How long the records of deleted servers are kept. */
  readonly keepDeleted: Micros;
  /** The capacity of a region for volumes in GiB; undefined for no limit. */
  readonly volumeCapacity: number | undefined;
  /**
   * The maximum number of allocation candidates in a reply; -1 for no limit. Upstream:
   * [placement] in placement.conf.
   */
  readonly maxAllocationCandidates: number;
  /**
   * The order of candidates from several trees: tree after tree (depth-first), or one candidate of
   * each tree at a time (breadth-first). Upstream: the same.
   */
  readonly allocationCandidatesGenerationStrategy: (typeof generationStrategies)[number];
}

/**
 * The number of connection pools of all processes of a cloud: each process has one for the central
 * database and one for each region.
 */
export const poolsOf = ({ workers, regions }: Config): number => workers * (1 + regions.length);
