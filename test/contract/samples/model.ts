// The types of sample requests.
import type { Config } from '../../../src/kernel/settings.ts';
import type { Client } from '../../support/raw.ts';

export interface Sample {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The status of the reply if it is always an error, because the cloud lacks the resource. */
  readonly refused?: number;
}

/** By operationId. Each call creates what its request needs, so that the request succeeds once. */
export type Samples = Readonly<Record<string, (version: string) => Sample | Promise<Sample>>>;

export interface Sampled {
  readonly service: string;
  readonly config: Partial<Config>;
  /** Creates what all samples share, in a new cloud. */
  readonly prepare: (
    client: Client,
  ) => Promise<{ readonly token: string | null; readonly samples: Samples }>;
}
