// The settings of Tricircle, which an operator can change at runtime. Upstream would read them from
// tricircle.conf.
import {
  integerSetting,
  ServiceSettings,
  setting,
  type SettingValues,
} from '../../../kernel/contract/service-settings.ts';
import type { Context } from '../../../kernel/model.ts';

/** The name of a weigher, and the multiplier of its weights. */
export interface WeigherSetting {
  readonly name: string;
  readonly multiplier: number;
}

const filterNames = [
  'ALLPodsFilter',
  'BottomPodFilter',
  'AvailabilityZoneFilter',
  'ResourceAffinityFilter',
];

/** A year in seconds. */
const maximum = 31_536_000;

export const tricircleSettings = new ServiceSettings('tricircle', {
  filters: setting<readonly string[]>({
    default: filterNames,
    schema: { type: 'array', maxItems: 100, items: { enum: filterNames } },
    help: 'The filters that a pod must pass, in order.',
  }),
  weighers: setting<readonly WeigherSetting[]>({
    default: [
      { name: 'CreateTimeWeigher', multiplier: 1 },
      { name: 'IdleCapacityWeigher', multiplier: 0 },
    ],
    schema: {
      type: 'array',
      maxItems: 100,
      items: {
        type: 'object',
        properties: {
          name: { enum: ['CreateTimeWeigher', 'IdleCapacityWeigher'] },
          multiplier: { type: 'number', minimum: -1_000_000, maximum: 1_000_000 },
        },
        required: ['name', 'multiplier'],
        additionalProperties: false,
      },
    },
    help: 'The weighers that rank the remaining pods, with their multipliers.',
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
  failingJobTypes: setting<readonly string[]>({
    default: [],
    schema: { type: 'array', maxItems: 100, items: { type: 'string', maxLength: 36 } },
    help: "The types of jobs that always fail, because failures of pods' Neutron are not simulated.",
  }),
});

export type Settings = SettingValues<typeof tricircleSettings.declarations>;

export const loadSettings = ({ db }: Pick<Context, 'db'>): Promise<Settings> =>
  tricircleSettings.load(db);
