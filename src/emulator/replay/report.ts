// Renders a replay: for programs, and as lines that people can read.
import { counted } from '../../kernel/user/sentences.ts';
import { tableLines } from '../../kernel/user/table.ts';
import type { Made } from '../what-if/model.ts';
import { replayFormat, type ClassUse, type Replay } from './model.ts';

/** How full a resource class was, as a fraction of its capacity. */
export interface ReplayedClass {
  readonly resource_class: string;
  readonly mean: number;
  readonly peak: number;
}

/** A replay as the API returns it. */
export interface ReplayView {
  readonly configuration: string;
  readonly arrivals: number;
  readonly accepted: number;
  readonly rejected: number;
  readonly causes: readonly { readonly cause: string; readonly count: number }[];
  readonly use: readonly ReplayedClass[];
  readonly changes: readonly Made[];
}

/** How many causes are listed. */
const maxCauses = 50;

/** Renders a replay as the API returns it. */
export function replayView(replay: Replay): ReplayView & Readonly<Record<string, unknown>> {
  const { region, configuration, from, until, arrivals, accepted, samples, changes } = replay;
  const causes = [...replay.causes]
    .map(([cause, count]) => ({ cause, count }))
    .toSorted((one, other) => other.count - one.count)
    .slice(0, maxCauses);
  const sampled = samples.map(({ time, use }) => ({
    time,
    use: Object.fromEntries(use.map((one) => [one.name, fraction(one)])),
  }));
  const view = {
    format: replayFormat,
    region,
    configuration,
    from,
    until,
    arrivals,
    accepted,
    rejected: arrivals - accepted,
    causes,
    use: usesOf(sampled.map(({ use }) => use)),
    samples: sampled,
    changes,
  };
  return { ...view, text: comparisonLines([view]) };
}

const fraction = ({ used, capacity }: ClassUse): number =>
  capacity ? Number((used / capacity).toFixed(4)) : 0;

/** The mean and the peak of each class over all samples, which have fractions by class. */
function usesOf(samples: readonly Readonly<Record<string, number>>[]): ReplayedClass[] {
  const names = new Set(samples.flatMap((use) => Object.keys(use)));
  return [...names].map((name) => {
    const fractions = samples.map((use) => use[name] ?? 0);
    const mean = fractions.reduce((sum, one) => sum + one, 0) / fractions.length;
    return {
      resource_class: name,
      mean: Number(mean.toFixed(4)),
      peak: fractions.reduce((most, one) => Math.max(most, one), 0),
    };
  });
}

const percent = (part: number): string => `${(100 * part).toFixed(1)} %`;

/** Compares replays side by side, and lists what each has rejected and why. */
export function comparisonLines(replays: readonly ReplayView[]): string[] {
  const classes = classesIn(replays);
  return [
    ...tableLines(
      [
        'CONFIGURATION',
        'ARRIVALS',
        'REJECTED',
        'ACCEPTED',
        ...classes.map((name) => `${name} MEAN (PEAK)`),
      ],
      replays.map((replay) => [
        replay.configuration,
        String(replay.arrivals),
        String(replay.rejected),
        percent(acceptance(replay)),
        ...classes.map((name) => {
          const use = useOf(replay, name);
          return use ? `${percent(use.mean)} (${percent(use.peak)})` : '-';
        }),
      ]),
    ),
    ...replays.flatMap(({ configuration, causes, changes, rejected }) => [
      ...changes
        .filter(({ failed }) => failed)
        .map(({ text }) => `${configuration}: a change FAILED: ${text}`),
      ...(rejected
        ? [
            '',
            `${configuration} has rejected ${counted(rejected, 'arrival')}:`,
            ...causes.map(({ cause, count }) => `  ${String(count).padStart(6)}  ${cause}`),
          ]
        : []),
    ]),
  ];
}

/** Compares replays as CSV, one in each line. */
export function comparisonCsv(replays: readonly ReplayView[]): string[] {
  const classes = classesIn(replays);
  const titles = classes.flatMap((name) => [`${name}_mean`, `${name}_peak`]);
  return [
    ['configuration', 'arrivals', 'accepted', 'rejected', 'acceptance', ...titles].join(','),
    ...replays.map((replay) =>
      [
        quoted(replay.configuration),
        replay.arrivals,
        replay.accepted,
        replay.rejected,
        acceptance(replay).toFixed(4),
        ...classes.flatMap((name) => {
          const use = useOf(replay, name);
          return [use?.mean ?? '', use?.peak ?? ''];
        }),
      ].join(','),
    ),
  ];
}

const quoted = (text: string): string =>
  /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

const acceptance = ({ accepted, arrivals }: ReplayView): number =>
  arrivals ? accepted / arrivals : 1;

const classesIn = (replays: readonly ReplayView[]): string[] => [
  ...new Set(replays.flatMap(({ use }) => use.map((one) => one.resource_class))),
];

const useOf = ({ use }: ReplayView, name: string): ReplayedClass | undefined =>
  use.find((one) => one.resource_class === name);
