// The settings of a cloud, as flags and environment give them: one frozen object.
import type { Micros } from './clock.ts';
import type { DatabaseUrl } from './db/database.ts';

/** The password of admin and demo in a new cloud that is given none. */
export const defaultPassword = 'secret';

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;

export const generationStrategies = ['depth-first', 'breadth-first'] as const;

/** One service of the first region at the root of a port of its own. */
export interface Listen {
  readonly service: string;
  readonly host: string | undefined;
  readonly port: number;
}

/** A pod that Tricircle knows from the start; without a zone it is the central region. */
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
   * The regions that it has at least: those that it had before are opened too. None for one of its
   * own choice in a new cloud.
   */
  readonly regions: readonly string[];
  /** The region of this name is the central one. */
  readonly centralRegion: string;
  /** What Tricircle knows in a new cloud, the oldest pod first. */
  readonly pods: readonly PodSeed[];
  readonly auth: 'keystone' | 'noauth2';
  /** The Keystone of another cloud, whose tokens are taken instead of this cloud's own. */
  readonly keystone: string | undefined;
  readonly policyDir: string | undefined;
  readonly corsOrigin: readonly string[];
  readonly listen: readonly Listen[];
  readonly adminPassword: string;
  /** The document that a new cloud, and a reset of everything, begins from. */
  readonly seed: string | undefined;
  /** The hosts of a new region's Compute: a number of them, or the file that describes them. */
  readonly hosts: string;
  readonly controlToken: string | undefined;
  readonly logLevel: string;
  /**
   * How many requests the journal keeps, 0 for none; undefined for as many as the cloud last kept.
   */
  readonly journal: number | undefined;
  /** How many processes serve the port. */
  readonly workers: number;
  /**
   * How long something takes, by names such as `server.create`; what is not named takes no time.
   */
  readonly latency: Readonly<Record<string, Micros>>;
  /** How long deleted servers are kept for the record. */
  readonly keepDeleted: Micros;
  /** How many GiB of volumes a region has room for; undefined for as many as are asked for. */
  readonly volumeCapacity: number | undefined;
  /**
   * How many allocation candidates one request gets at most; -1 for all of them. Upstream:
   * [placement] in placement.conf.
   */
  readonly maxAllocationCandidates: number;
  /**
   * In which order trees give their candidates: each all of its own, or one of each tree, and then
   * another. Upstream: the same.
   */
  readonly allocationCandidatesGenerationStrategy: (typeof generationStrategies)[number];
}

/**
 * How many pools of connections the processes of a cloud have: each has one for the central
 * database and one for each region.
 */
export const poolsOf = ({ workers, regions }: Config): number => workers * (1 + regions.length);
