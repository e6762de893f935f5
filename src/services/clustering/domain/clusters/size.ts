// Computes the size of a cluster after an adjustment, and checks it against the limits.
import type { Cluster, Json } from '../../model.ts';

/** The fields of a cluster that limit its size. */
export type Limits = Pick<Cluster, 'minSize' | 'maxSize' | 'desiredCapacity'>;

/** The sizes in a request; undefined if it does not give them. */
export interface Sizes {
  readonly desired?: number | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly strict: boolean;
  /** The highest number of nodes of any cluster, by the settings. */
  readonly maxNodes: number;
}

/** The size after an adjustment. Upstream: calculate_desired in senlin/common/scaleutils.py. */
export function calculateDesired(
  current: number,
  type: string,
  number: number,
  minStep: number | null | undefined,
): number {
  if (type === 'EXACT_CAPACITY') return number;
  if (type === 'CHANGE_IN_CAPACITY') return current + number;
  const delta = (number * current) / 100;
  // A fraction below one node is rounded away from zero, anything above towards zero.
  const rounded =
    Math.abs(delta) < 1 ? Math.sign(delta) * Math.ceil(Math.abs(delta)) : Math.trunc(delta);
  if (minStep && minStep > Math.abs(rounded)) return current + (rounded > 0 ? minStep : -minStep);
  return current + rounded;
}

/** Restricts a size to the limits of a request, or else to those of the cluster. */
export function truncateDesired(
  cluster: Limits,
  desired: number,
  min: number | undefined,
  max: number | undefined,
): number {
  const atLeast = Math.max(desired, min ?? cluster.minSize);
  const upper = max !== undefined && max > 0 ? max : cluster.maxSize;
  return upper > 0 ? Math.min(atLeast, upper) : atLeast;
}

/**
 * Checks sizes against the limits. Upstream: check_size_params in senlin/common/scaleutils.py.
 * @param cluster undefined for a cluster that is being created
 * @returns the message about the first limit that is violated
 */
export function sizeProblem(
  cluster: Limits | undefined,
  { desired, min, max, strict, maxNodes }: Sizes,
): string | undefined {
  const given = { min, max, strict, maxNodes };
  return (
    (desired === undefined ? undefined : targetProblem(cluster, desired, given)) ??
    minProblem(cluster, desired, given) ??
    maxProblem(cluster, desired, given)
  );
}

type Given = Omit<Sizes, 'desired'>;

function targetProblem(
  cluster: Limits | undefined,
  desired: number,
  { min, max, strict, maxNodes }: Given,
): string | undefined {
  const target = `The target capacity (${desired})`;
  if (desired > maxNodes)
    return (
      `${target} is greater than the maximum number of nodes allowed per cluster ` +
      `(${maxNodes}).`
    );
  if (min !== undefined && desired < min)
    return `${target} is less than the specified min_size (${min}).`;
  if (min === undefined && cluster && strict && desired < cluster.minSize)
    return `${target} is less than the cluster's min_size (${cluster.minSize}).`;
  if (max !== undefined && max >= 0 && desired > max)
    return `${target} is greater than the specified max_size (${max}).`;
  if (max === undefined && cluster && strict && cluster.maxSize >= 0 && desired > cluster.maxSize)
    return `${target} is greater than the cluster's max_size (${cluster.maxSize}).`;
  return undefined;
}

function minProblem(
  cluster: Limits | undefined,
  desired: number | undefined,
  { min, max, strict }: Given,
): string | undefined {
  if (min === undefined) return undefined;
  const given = `The specified min_size (${min}) is greater than`;
  if (max !== undefined && max >= 0 && min > max)
    return `${given} the specified max_size (${max}).`;
  if (cluster && max === undefined && cluster.maxSize >= 0 && min > cluster.maxSize)
    return `${given} the current max_size (${cluster.maxSize}) of the cluster.`;
  if (cluster && desired === undefined && strict && min > cluster.desiredCapacity)
    return `${given} the current desired_capacity (${cluster.desiredCapacity}) of the cluster.`;
  return undefined;
}

function maxProblem(
  cluster: Limits | undefined,
  desired: number | undefined,
  { min, max, strict, maxNodes }: Given,
): string | undefined {
  if (max === undefined) return undefined;
  if (max > maxNodes)
    return (
      `The specified max_size (${max}) is greater than the maximum number of nodes allowed ` +
      `per cluster (${maxNodes}).`
    );
  const given = `The specified max_size (${max}) is less than`;
  if (cluster && min === undefined && max >= 0 && max < cluster.minSize)
    return `${given} the current min_size (${cluster.minSize}) of the cluster.`;
  if (cluster && desired === undefined && strict && max >= 0 && max < cluster.desiredCapacity)
    return `${given} the current desired_capacity (${cluster.desiredCapacity}) of the cluster.`;
  return undefined;
}

/** The result of a resize: how many nodes to add or (negative) remove, or why it is invalid. */
export type Resize = { readonly change: number } | { readonly problem: string };

const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined;

/**
 * Reads the inputs of CLUSTER_RESIZE. Upstream: parse_resize_params, in which `strict` is false by
 * default.
 */
export function parseResize(
  cluster: Limits,
  inputs: Json,
  current: number,
  maxNodes: number,
): Resize {
  const type = inputs['adjustment_type'] as string | null | undefined;
  const min = numberOf(inputs['min_size']);
  const max = numberOf(inputs['max_size']);
  const strict = inputs['strict'] === true;
  const from = current || cluster.desiredCapacity;
  const number = numberOf(inputs['number']);
  const requested =
    type && number !== undefined
      ? calculateDesired(from, type, number, numberOf(inputs['min_step']))
      : undefined;
  const target = strict
    ? (requested ?? from)
    : truncateDesired(cluster, requested ?? from, min, max);
  const problem = sizeProblem(cluster, { desired: target, min, max, strict, maxNodes });
  return problem === undefined ? { change: target - from } : { problem };
}

/**
 * Reads the count in the inputs of an action. Webhooks and old clients send it as text.
 * @returns undefined if it is absent, NaN if it is not a number
 */
export function countOf(inputs: Json): number | undefined {
  const given = inputs['count'];
  if (given === undefined || given === null) return undefined;
  if (typeof given === 'number') return Math.trunc(given);
  return typeof given === 'string' && /^\s*-?\d{1,9}\s*$/.test(given) ? Number(given) : NaN;
}
