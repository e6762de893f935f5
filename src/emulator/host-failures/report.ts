// Renders the rehearsal of a failure: for programs, and as lines that people can read.
import { counted, someOf } from '../../kernel/user/sentences.ts';
import { groupedValues } from '../../kernel/db/grouping.ts';
import { failureFormat, type Displaced, type FailureDomain, type Lost } from './model.ts';

/** Renders the rehearsal of a failure as the API returns it. */
export function failureView(
  region: string,
  { kind, name, hosts }: FailureDomain,
  displaced: readonly Displaced[],
): object {
  const lost = displaced.flatMap((one) => one.lost);
  const summary = summaryOf(kind, name, displaced);
  return {
    format: failureFormat,
    region,
    kind,
    name,
    hosts,
    survives: !lost.length,
    summary,
    displaced: displaced.map((one) => ({ noun: one.noun, moved: one.moved, lost: one.lost })),
    text: [summary, ...displaced.flatMap((one) => linesOf(one))],
  };
}

const singular = (noun: string): string => noun.replace(/s$/, '');

function summaryOf(kind: string, name: string, displaced: readonly Displaced[]): string {
  const parts = displaced
    .filter(({ moved, lost }) => moved.length + lost.length > 0)
    .map(({ noun, moved, lost }) => {
      const all = moved.length + lost.length;
      return lost.length
        ? `${lost.length} of ${counted(all, singular(noun))} ${lost.length === 1 ? 'finds' : 'find'} no place`
        : `${counted(all, singular(noun))} ${all === 1 ? 'finds' : 'find'} a place`;
    });
  return `If ${kind} ${name} fails, ${parts.length ? parts.join('; ') : 'nothing has to move'}.`;
}

function linesOf({ noun, moved, lost }: Displaced): string[] {
  const reasons = groupedValues(
    lost,
    ({ reason }) => reason,
    (one) => one,
  );
  const to = groupedValues(
    moved.flatMap((one) => one.to.map((host) => ({ host, name: one.name }))),
    ({ host }) => host,
    (one) => one.name,
  );
  return [
    ...[...to].map(([host, names]) => `  ${host} takes ${noun}: ${someOf(names)}`),
    ...[...reasons].flatMap(([reason, own]) => lossOf(noun, reason, own)),
  ];
}

const lossOf = (noun: string, reason: string, own: readonly Lost[]): string[] => [
  `  no place for ${noun}: ${someOf(own.map(({ name }) => name))}`,
  `    ${reason}`,
];
