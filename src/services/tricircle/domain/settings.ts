// The settings of Tricircle, which an operator can change at runtime. Upstream would read them from
// tricircle.conf.
import {
  integerSetting,
  ServiceSettings,
  setting,
  type SettingValues,
} from '../../../kernel/contract/service-settings.ts';
import type { Context } from '../../../kernel/model.ts';
import { podFilters } from './scheduling/filters/index.ts';
import { podWeighers } from './scheduling/weighers/index.ts';

/** The name of a weigher, and the multiplier of its weights. */
export interface WeigherSetting {
  readonly name: string;
  readonly multiplier: number;
}

const filterNames = podFilters.map(({ name }) => name);

/** A year in seconds. */
const maximum = 31_536_000;

export const tricircleSettings = new ServiceSettings('tricircle', {
  filters: setting<readonly string[]>({
    default: filterNames,
    schema: { type: 'array', maxItems: 100, items: { enum: filterNames } },
    help:
      'The filters that a pod must pass, in order. Whatever they are, pods that are under ' +
      'maintenance, exhausted or not in the catalog are never chosen.',
  }),
  weighers: setting<readonly WeigherSetting[]>({
    default: podWeighers.map(({ name, defaultMultiplier }) => ({
      name,
      multiplier: defaultMultiplier,
    })),
    schema: {
      type: 'array',
      maxItems: 100,
      items: {
        type: 'object',
        properties: {
          name: { enum: podWeighers.map(({ name }) => name) },
          multiplier: { type: 'number', minimum: -1_000_000, maximum: 1_000_000 },
        },
        required: ['name', 'multiplier'],
        additionalProperties: false,
      },
    },
    help:
      'The weighers that rank the remaining pods, with their multipliers. A weigher that is not ' +
      'listed does not count; a negative multiplier prefers the opposite.',
  }),
  thresholdPercent: integerSetting({
    default: 80,
    minimum: 1,
    maximum: 99,
    help: 'The usage in percent from which a pod counts as exhausted, unless it has its own threshold.',
  }),
  usageInterval: integerSetting({
    default: 86_400,
    minimum: 0,
    maximum,
    help: 'The interval in seconds at which the usage of pods is polled; 0 for on demand only.',
  }),
  jobWait: integerSetting({
    default: 1,
    minimum: 0,
    maximum,
    help: 'How many seconds a new job waits for a worker.',
  }),
  jobDuration: integerSetting({
    default: 1,
    minimum: 0,
    maximum,
    help: 'How many seconds a job runs.',
  }),
  migrationStepDuration: integerSetting({
    default: 1,
    minimum: 0,
    maximum,
    help: 'How many seconds a step of a migration between pods takes.',
  }),
  failingJobTypes: setting<readonly string[]>({
    default: [],
    schema: { type: 'array', maxItems: 100, items: { type: 'string', maxLength: 36 } },
    help: "The types of jobs that always fail, because failures of pods' Neutron are not simulated.",
  }),
});

export type Settings = SettingValues<typeof tricircleSettings.declarations>;

export const loadSettings = ({ db }: Pick<Context, 'db'>): Promise<Settings> =>
  tricircleSettings.load(db);
