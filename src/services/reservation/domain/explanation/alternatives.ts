// Finds what a refused reservation could have instead: a later time, a smaller amount, or the same
// after a change of other leases and of hosts.
import type { Span } from '../../model.ts';
import type { Change, Question } from './question.ts';

/** What would be possible. */
export interface Alternatives {
  /** The next span of the same length that fits; undefined if none was found or sought. */
  readonly next: Span | undefined;
  /** The largest amount that fits in the requested span; 0 if none does. */
  readonly largest: number;
  /**
   * The changes after which it fits. They are minimal: without one of them it does not. Undefined
   * if no change of leases and hosts is sufficient, or too many are necessary.
   */
  readonly changes: readonly Change[] | undefined;
}

/** The maximum number of start times that are tried. */
const maxTries = 500;

/** The maximum number of changes, from which the unnecessary ones are dropped. */
const maxChanges = 100;

/** Far more than a cloud has. */
const maxAmount = 2 ** 30;

/** Finds the alternatives to a request that does not fit. */
export const alternativesTo = (question: Question, isMovable: boolean): Alternatives => ({
  next: isMovable ? nextSpan(question, question.span) : undefined,
  largest: largestAmount(question),
  changes: smallestChange(question),
});

/**
 * Finds the earliest span in which a reservation is possible, of the length of the given one. It
 * starts then, or when another reservation releases its resources.
 */
export function nextSpan(question: Question, { startAt, endAt }: Span): Span | undefined {
  const later = question.releases.filter((time) => time > startAt);
  for (const time of [startAt, ...later].slice(0, maxTries)) {
    const span = { startAt: time, endAt: time + endAt - startAt };
    if (question.fits({ span })) return span;
  }
  return undefined;
}

/** Finds the largest amount that fits: none below what an active reservation must keep. */
export function largestAmount({ fits, kept }: Question): number {
  let fitting = Math.max(kept, 1);
  if (!fits({ amount: fitting })) return 0;
  let excessive = fitting * 2;
  while (excessive < maxAmount && fits({ amount: excessive })) {
    fitting = excessive;
    excessive *= 2;
  }
  while (excessive - fitting > 1) {
    const middle = Math.floor((fitting + excessive) / 2);
    if (fits({ amount: middle })) fitting = middle;
    else excessive = middle;
  }
  return fitting;
}

/**
 * Finds the smallest change of other leases and of hosts after which the request fits. It prefers
 * the resources that need the fewest changes.
 */
function smallestChange({ fits, resources, ownLease }: Question): readonly Change[] | undefined {
  const parts = resources()
    .map(({ changes }) =>
      changes.filter((one) => !(one.change === 'end_lease' && one.leaseId === ownLease)),
    )
    .filter((changes) => changes.length)
    .toSorted((one, other) => one.length - other.length);
  const changesOf = (count: number): readonly Change[] => distinct(parts.slice(0, count).flat());
  if (!fits({ changes: changesOf(parts.length) })) return undefined;
  // More changes never leave less room, so a binary search finds the fewest resources.
  let [insufficient, sufficient] = [0, parts.length];
  while (sufficient - insufficient > 1) {
    const middle = Math.floor((insufficient + sufficient) / 2);
    if (fits({ changes: changesOf(middle) })) sufficient = middle;
    else insufficient = middle;
  }
  let left = changesOf(sufficient);
  if (left.length > maxChanges) return undefined;
  for (const change of left) {
    const others = left.filter((one) => one !== change);
    if (fits({ changes: others })) left = others;
  }
  return left;
}

/** The changes without repetitions: a lease may be in the way on several hosts. */
function distinct(changes: readonly Change[]): readonly Change[] {
  const byKey = new Map(
    changes.map((one) => [
      one.change === 'end_lease' ? `lease ${one.leaseId}` : `resource ${one.id}`,
      one,
    ]),
  );
  return [...byKey.values()];
}
