// The view of settings in the emulator's API.
import type { Settings } from '../domain/settings.ts';

const names = {
  filters: 'filters',
  weighers: 'weighers',
  threshold_percent: 'thresholdPercent',
  usage_interval: 'usageInterval',
  job_wait: 'jobWait',
  job_duration: 'jobDuration',
  failing_job_types: 'failingJobTypes',
} as const;

/** A body that matches the contract. */
export type SettingsBody = {
  readonly [Name in keyof typeof names]?: Settings[(typeof names)[Name]];
};

/** Reads the settings that a body changes. */
export const readSettingsBody = (body: SettingsBody): Partial<Settings> =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [names[name as keyof SettingsBody], value]),
  );

export const settingsView = (settings: Settings): object =>
  Object.fromEntries(Object.entries(names).map(([name, key]) => [name, settings[key]]));
