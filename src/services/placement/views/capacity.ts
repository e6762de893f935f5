// Renders how often a request for allocation candidates can be answered.
import type { Measured, MeasuredResource, Place } from '../../../emulator/capacity/model.ts';
import type { CandidatesCapacity, ClassCapacity, TreeCapacity } from '../domain/capacity/count.ts';
import type { Cause } from '../domain/explanation/causes.ts';
import type { ExplanationNames } from '../domain/explanation/names.ts';
import { kindOf } from './explanation.ts';

/** How many causes the reason of one tree names. */
const maxCauses = 3;

/** The capacity of all provider trees for a request. */
export function measuredCandidates(capacity: CandidatesCapacity): Measured {
  const { trees, classes, names, refusal } = capacity;
  return {
    noun: 'requests',
    limit: refusal,
    places: trees.map((tree) => placeOf(tree, names, refusal)),
    resources: classes.map((one) => measuredClass(one, names)),
  };
}

const placeOf = (
  { tree: { root }, count, causes }: TreeCapacity,
  names: ExplanationNames,
  refusal: string | undefined,
): Place => ({
  uuid: root.uuid,
  name: root.name,
  zone: null,
  aggregates: root.aggregates.map((id) => names.aggregates.get(id)!),
  count,
  reason: refusal ?? reasonOf(causes, names),
});

/** Says why a tree has no candidate, in a few words. */
export function reasonOf(causes: readonly Cause[], names: ExplanationNames): string {
  const kinds = [...new Set(causes.map((cause) => kindOf(cause, names)))];
  return kinds.slice(0, maxCauses).join(', ');
}

/** The free amounts of a class. */
export const measuredClass = (
  { classId, requested, free, largest, provider }: ClassCapacity,
  names: ExplanationNames,
): MeasuredResource => ({
  resourceClass: names.classes.get(classId)!,
  requested,
  free,
  largest,
  largestOn: provider?.name ?? null,
});
