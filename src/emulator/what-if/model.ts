// What-if: changes that are made in a copy of the cloud, and questions that are asked before and
// after them.
import type { FailureKind } from '../host-failures/model.ts';
import type { HostEntry, ServerEntry } from '../worlds/model.ts';

/** The changes by name, each with what it takes. */
export interface Changes {
  readonly add_hosts: HostEntry;
  /** The name of a host without servers. */
  readonly remove_host: string;
  /** The name of a host. */
  readonly drain_host: string;
  readonly set_ratio: {
    readonly resource_class: string;
    readonly ratio: number;
    /** The names of hosts; all by default. */
    readonly hosts?: readonly string[];
  };
  readonly resize_flavor: {
    readonly name: string;
    readonly vcpus?: number;
    readonly memory_mb?: number;
    readonly disk_gb?: number;
  };
  readonly add_servers: ServerEntry;
  /** The name or the id of a lease. */
  readonly end_lease: string;
  /** The region of a pod. */
  readonly maintain_pod: string;
  readonly advance: Readonly<Record<string, unknown>>;
}

export type ChangeName = keyof Changes;

/** A change: an object with one field. */
export type Change = Partial<Changes>;

/** A question: an object with one field. */
export interface Question {
  /** The query of `GET /_emulator/capacity/servers`. */
  readonly servers?: Readonly<Record<string, string | number>>;
  /** The query of `GET /_emulator/capacity/nodes`. */
  readonly nodes?: Readonly<Record<string, string>>;
  /** The query of `GET /_emulator/capacity/leases`. */
  readonly leases?: Readonly<Record<string, string | number | boolean>>;
  /** A query of allocation candidates. */
  readonly candidates?: string;
  /** How many hosts, zones or aggregates may fail. */
  readonly n_plus_1?: FailureKind;
}

/** A request. */
export interface WhatIf {
  readonly region?: string;
  readonly changes: readonly Change[];
  /** By default, how many servers of each flavor fit. */
  readonly questions?: readonly Question[];
}

/** What became of a change. */
export interface Made {
  readonly change: ChangeName;
  /** What happened, or why the change failed. */
  readonly text: string;
  readonly failed: boolean;
}

/** An answer: a number with what limits it, or why there is none. */
export interface Answer {
  /** Null if the question was refused. */
  readonly count: number | null;
  readonly text: string;
}

/** A question with its answers. */
export interface Compared {
  readonly question: string;
  readonly before: Answer;
  readonly after: Answer;
}

/** The version of the format, which changes if a field changes its meaning or disappears. */
export const whatIfFormat = 1;
