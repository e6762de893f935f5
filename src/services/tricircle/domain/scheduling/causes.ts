// Finds why a pod is unsuitable for a request. The choice stops at the first cause; an explanation
// lists all of them.
import type { Context } from '../../../../kernel/model.ts';
import { isExhausted, type Fills } from '../exhaustion.ts';
import type { Settings } from '../settings.ts';
import { podFilters } from './filters/index.ts';
import type { PodRequest, PodState } from './request.ts';

/** Why a pod is unsuitable. */
export type PodCause =
  | { readonly cause: 'central' | 'maintenance' | 'unreachable' }
  | { readonly cause: 'exhausted'; readonly fills: Fills }
  | { readonly cause: 'filter'; readonly filter: string; readonly why: string };

/**
 * Yields every cause why a pod is unsuitable: whatever the filters of the settings are, it rejects
 * pods that are under maintenance or exhausted, and the central region, whose gateways would call
 * themselves.
 */
export function* causesOf(
  { cloud }: Context,
  { pod, fills }: PodState,
  { filters }: Pick<Settings, 'filters'>,
  request: PodRequest,
): Generator<PodCause, void> {
  if (pod.azName === '' || cloud.regions.get(pod.regionName)?.isCentral === true)
    yield { cause: 'central' };
  if (pod.isUnderMaintenance) yield { cause: 'maintenance' };
  if (isExhausted(fills)) yield { cause: 'exhausted', fills };
  for (const filter of podFilters)
    if (filters.includes(filter.name) && !filter.passes({ pod, fills }, request))
      yield {
        cause: 'filter',
        filter: filter.name,
        why: filter.why({ pod, fills }, request),
      };
}

/** A cause as a phrase that follows the name of the pod. */
export function causeText(cause: PodCause): string {
  switch (cause.cause) {
    case 'central':
      return 'is the central pod';
    case 'maintenance':
      return 'is under maintenance';
    case 'unreachable':
      return 'has no services in the catalog';
    case 'exhausted':
      return `is exhausted: ${exhaustedText(cause.fills)}`;
    case 'filter':
      return `${cause.why} (${cause.filter})`;
  }
}

const exhaustedText = (fills: Fills): string =>
  Object.entries(fills)
    .filter(([, { exhausted }]) => exhausted)
    .map(
      ([dimension, { used, total, limit }]) => `${used} of ${total} ${dimension}, limit ${limit}`,
    )
    .join('; ');
