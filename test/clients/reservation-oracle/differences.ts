// Lists the paths at which two values differ, and describes intended differences.

export interface Difference {
  /** `reservation.leases.first.status`. */
  readonly path: string;
  readonly real: unknown;
  readonly ours: unknown;
}

const isTree = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object';

export function differences(real: unknown, ours: unknown, path = ''): Difference[] {
  if (!isTree(real) || !isTree(ours) || Array.isArray(real) !== Array.isArray(ours))
    return Object.is(real, ours) ? [] : [{ path, real, ours }];
  const keys = new Set([...Object.keys(real), ...Object.keys(ours)]);
  return [...keys].flatMap((key) => {
    const at = path ? `${path}.${key}` : key;
    if (!Object.hasOwn(real, key)) return [{ path: at, real: absent, ours: ours[key] }];
    if (!Object.hasOwn(ours, key)) return [{ path: at, real: real[key], ours: absent }];
    return differences(real[key], ours[key], at);
  });
}

const absent = '(absent)';

/** An intended difference. */
export interface Intended {
  /** A regular expression for the scenario, the step and the path: `scenario/3 answer.status`. */
  readonly at: string;
  readonly reason: string;
  /** Whether the difference does not occur in every run. */
  readonly sometimes?: boolean;
}
