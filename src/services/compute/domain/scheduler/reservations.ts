// Hosts that are set aside for reservations: who may go there. Upstream: blazar-nova's
// blazarnova/scheduler/filters/blazar_filter.py.
import type { Filter } from './filters.ts';
import { isReserved } from '../flavors.ts';
import type { HostAggregate } from '../../model.ts';

/** The aggregate of hosts that are reserved, or free to be. */
const freepoolName = 'freepool';

const isPool = ({ name, zone }: HostAggregate): boolean =>
  name === freepoolName || /^blazar[_:]/.test(zone ?? '');

/**
 * Whether an aggregate is of the project's: its id is a key there, or the value of `blazar:owner`.
 */
const belongsTo = ({ metadata }: HostAggregate, projectId: string): boolean =>
  Object.hasOwn(metadata, projectId) || metadata['blazar:owner'] === projectId;

/**
 * The hint `reservation` leads to the hosts of that reservation alone; without it, ordinary servers
 * stay away from all such hosts.
 */
export const forReservations: Filter = {
  name: 'reservations',
  passes({ aggregates }, { reservations, flavor, projectId }) {
    if (reservations.length)
      return aggregates.some(
        (one) => isPool(one) && reservations.includes(one.name) && belongsTo(one, projectId),
      );
    // Which host has a slot of the reservation left, Placement knows.
    return isReserved(flavor) || !aggregates.some(isPool);
  },
};
