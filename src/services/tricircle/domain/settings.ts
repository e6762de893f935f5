// The settings of Tricircle, which an operator can change at runtime. Upstream would read them from
// tricircle.conf.
import type { Context } from '../../../kernel/model.ts';
import { readSettings, writeSetting } from '../store/settings.ts';

/** The name of a weigher, and the multiplier of its weights. */
export interface WeigherSetting {
  readonly name: string;
  readonly multiplier: number;
}

export interface Settings {
  /** The names of the filters that a pod must pass, in the order in which they are applied. */
  readonly filters: readonly string[];
  readonly weighers: readonly WeigherSetting[];
  /**
   * The usage of a dimension in percent at which a pod without an own value counts as exhausted.
   */
  readonly thresholdPercent: number;
  /**
   * The interval between collections of usage, in seconds of the emulator's clock; 0 for on demand
   * only.
   */
  readonly usageInterval: number;
  /** How long a new job waits for a worker, in seconds of the emulator's clock. */
  readonly jobWait: number;
  /** How long a job runs, in seconds of the emulator's clock. */
  readonly jobDuration: number;
  /** Types of jobs that fail, because the emulator does not simulate failures of pods' Neutron. */
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

/** The name of the row that holds all of these settings. */
const rowName = 'settings';

export async function loadSettings({ db }: Pick<Context, 'db'>): Promise<Settings> {
  return { ...defaults, ...((await readSettings(db))[rowName] as Partial<Settings> | undefined) };
}

/** Changes the given settings, and keeps the others. */
export async function changeSettings(
  context: Context,
  changes: Partial<Settings>,
): Promise<Settings> {
  const settings = { ...(await loadSettings(context)), ...changes };
  await writeSetting(context.db, rowName, settings);
  return settings;
}
