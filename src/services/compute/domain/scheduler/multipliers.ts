// The multipliers of the scheduler's weighers: those of the settings, and those of host aggregates.
// Upstream: scheduler/utils.py get_weight_multiplier.
import { snakeCase } from '../../../../kernel/db/columns.ts';
import type { HostAggregate } from '../../model.ts';
import type { computeSettings } from '../settings.ts';

type Declarations = (typeof computeSettings)['declarations'];

/** The field of the settings that holds the multiplier of a weigher. */
export type Multiplier = keyof Declarations & `${string}WeightMultiplier`;

/** The multipliers of all weighers. */
export type Multipliers = Readonly<Record<Multiplier, number>>;

const names: readonly Multiplier[] = [
  'ramWeightMultiplier',
  'cpuWeightMultiplier',
  'diskWeightMultiplier',
  'ioOpsWeightMultiplier',
  'softAffinityWeightMultiplier',
  'softAntiAffinityWeightMultiplier',
];

/**
 * The multipliers that the metadata of a host's aggregates overrides, the least of several. A value
 * that is not a number makes the setting apply.
 * @returns undefined if there are none
 */
export function multipliersOf(
  aggregates: readonly HostAggregate[],
): Partial<Multipliers> | undefined {
  const found = names.flatMap((name) => {
    const key = snakeCase(name);
    const values = aggregates.flatMap(({ metadata }) => metadata[key] ?? []).map(numberIn);
    const least = Math.min(...values);
    return values.length && !Number.isNaN(least) ? [[name, least] as const] : [];
  });
  return found.length ? Object.fromEntries(found) : undefined;
}

const numberIn = (text: string): number => (text.trim() === '' ? NaN : Number(text));
