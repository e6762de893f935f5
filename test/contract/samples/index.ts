// Sample requests: one for each operation that succeeds, after creating what it needs.
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
import type { Sampled } from './model.ts';

export type { Sample, Sampled, Samples } from './model.ts';

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

/** Fills the parameters of a route's path with the sample's values. */
export function fill(path: string, params: Readonly<Record<string, string>> = {}): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`the sample has no ${name} for ${path}`);
    return encodeURIComponent(value);
  });
}
