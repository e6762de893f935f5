// Sample requests: for each operation one that succeeds, with what it needs made first.
import type { Client } from '../../support/raw.ts';
import { clusteringSamples } from './clustering.ts';
import { computeSamples } from './compute.ts';
import { emulatorSamples } from './emulator.ts';
import { identitySamples } from './identity.ts';
import { imageSamples } from './image.ts';
import { networkSamples } from './network.ts';
import { placementSamples } from './placement.ts';
import { reservationSamples } from './reservation.ts';
import { tricircleSamples } from './tricircle.ts';
import { volumeSamples } from './volume.ts';
import type { Config } from '../../../src/kernel/settings.ts';

export interface Sample {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * What it is answered with where it is always refused, as by an OpenStack that lacks what it is
   * about.
   */
  readonly refused?: number;
}

/**
 * By operationId. Each call makes what the request needs, so that it may be sent once and succeeds.
 */
export type Samples = Readonly<Record<string, (version: string) => Sample | Promise<Sample>>>;

export interface Sampled {
  readonly service: string;
  readonly config: Partial<Config>;
  /** Makes what all samples share; the cloud is as new. */
  readonly prepare: (
    client: Client,
  ) => Promise<{ readonly token: string | null; readonly samples: Samples }>;
}

export const sampled: readonly Sampled[] = [
  placementSamples,
  identitySamples,
  imageSamples,
  volumeSamples,
  computeSamples,
  clusteringSamples,
  networkSamples,
  reservationSamples,
  tricircleSamples,
  emulatorSamples,
];

/** The path of the table with the sample's values in it. */
export function fill(path: string, params: Readonly<Record<string, string>> = {}): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`the sample has no ${name} for ${path}`);
    return encodeURIComponent(value);
  });
}
