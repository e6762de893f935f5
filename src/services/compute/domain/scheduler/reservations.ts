// The filter that keeps reserved hosts for the servers of their reservations. Upstream:
// blazar-nova's blazarnova/scheduler/filters/blazar_filter.py.
import { isPool } from './aggregates.ts';
import type { Filter } from './filter.ts';
import { isReserved } from '../flavors.ts';
import type { HostAggregate } from '../../model.ts';

/**
 * Whether an aggregate belongs to a project: its metadata has the project's id as a key, or as the
 * value of `blazar:owner`.
 */
const belongsTo = ({ metadata }: HostAggregate, projectId: string): boolean =>
  Object.hasOwn(metadata, projectId) || metadata['blazar:owner'] === projectId;

/**
 * With the hint `reservation`, only the hosts of that reservation pass. Without it, an ordinary
 * server is never placed on a host that is reserved or in the free pool.
 */
export const forReservations: Filter = {
  name: 'reservations',
  passes({ aggregates, isPooled }, { reservations, flavor, projectId }) {
    if (reservations.length)
      return aggregates.some(
        (aggregate) =>
          isPool(aggregate) &&
          reservations.includes(aggregate.name) &&
          belongsTo(aggregate, projectId),
      );
    // Placement selects the hosts with a free slot of the reservation.
    return isReserved(flavor) || !isPooled;
  },
  why: ({ aggregates }, { reservations }) =>
    reservations.length
      ? `is not in the reservation ${reservations.join(' or ')} of the project`
      : `is in the pool ${aggregates.find(isPool)?.name}, and the server names no reservation`,
};
