// CreateTimeWeigher, which prefers the oldest pod, or the first in the manual order if all
// candidates have a position.
import type { PodWeigher } from '../request.ts';

export const createTimeWeigher: PodWeigher = {
  name: 'CreateTimeWeigher',
  defaultMultiplier: 1,
  weigh: (candidates) => {
    const positions = candidates.map(({ pod }) => pod.weight);
    const isManual = positions.every((position) => position !== null);
    const values = candidates.map(({ pod }) => (isManual ? pod.weight! : pod.createTime));
    // The places in the line count, not the time between them: a pod that was registered long after
    // two others would otherwise make them almost equal.
    const line = [...new Set(values)].toSorted((a, b) => a - b);
    const places = new Map(line.map((value, place) => [value, place]));
    return values.map((value) => -places.get(value)!);
  },
};
