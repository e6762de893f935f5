// What an operator sets of Tricircle while it runs: upstream would have it in tricircle.conf.
import type { Context } from '../../../kernel/model.ts';
import { readSettings, writeSetting } from '../store/settings.ts';

/** A weigher by its name, and what its weights are multiplied by. */
export interface WeigherSetting {
  readonly name: string;
  readonly multiplier: number;
}

export interface Settings {
  /** The names of the filters that a pod has to pass, in the order in which they are asked. */
  readonly filters: readonly string[];
  readonly weighers: readonly WeigherSetting[];
  /**
   * The part of a dimension's total, in percent, at which a pod counts as exhausted, where the pod
   * has none of its own.
   */
  readonly thresholdPercent: number;
  /**
   * How often the usage of pods is collected, in seconds of the emulator's clock; 0 for on demand
   * only.
   */
  readonly usageInterval: number;
  /** How long a new job waits for a worker, in seconds of the emulator's clock. */
  readonly jobWait: number;
  /** How long it runs. */
  readonly jobDuration: number;
  /** Types of jobs that fail: what the emulator does not know of the pods' Neutron is said here. */
  readonly failingJobTypes: readonly string[];
}

export const defaults: Settings = {
  filters: ['ALLPodsFilter', 'BottomPodFilter', 'AvailabilityZoneFilter', 'ResourceAffinityFilter'],
  weighers: [
    { name: 'CreateTimeWeigher', multiplier: 1 },
    { name: 'IdleCapacityWeigher', multiplier: 0 },
  ],
  thresholdPercent: 80,
  usageInterval: 86_400,
  jobWait: 1,
  jobDuration: 1,
  failingJobTypes: [],
};

const name = 'settings';

export async function settingsOf({ db }: Pick<Context, 'db'>): Promise<Settings> {
  return { ...defaults, ...((await readSettings(db))[name] as Partial<Settings> | undefined) };
}

/** Changes settings; those that are not given stay. */
export async function changeSettings(
  context: Context,
  changes: Partial<Settings>,
): Promise<Settings> {
  const settings = { ...(await settingsOf(context)), ...changes };
  await writeSetting(context.db, name, settings);
  return settings;
}
