// Removes an active reservation from a failed host.
import { ApiError } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import { removeAggregateHost } from '../clients/compute.ts';
import { deleteInventory } from '../clients/placement.ts';
import { addFreepoolHost } from './freepool.ts';
import { hostType, type Host, type Reservation } from '../model.ts';

/**
 * Removes a failed host from the reservation's aggregate, or deletes the reservation's slots in
 * Placement, unless servers use them.
 */
export async function removeFailedHost(
  context: Context,
  { id, resourceType, details }: Reservation,
  host: Host,
): Promise<void> {
  try {
    if ('aggregateId' in details && details.aggregateId !== null)
      await removeAggregateHost(context, details.aggregateId, host.serviceName);
    if (resourceType === hostType) await addFreepoolHost(context, host.serviceName);
    else await deleteInventory(context, host.hypervisorHostname, id);
  } catch (error) {
    // A 409, for example: Placement keeps slots in use until their servers are deleted.
    if (!(error instanceof ApiError)) throw error;
  }
}
