// Taking what an active reservation has off a host that has failed.
import { ApiError } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import { leaveAggregate } from '../clients/compute.ts';
import { deleteInventory } from '../clients/placement.ts';
import { joinFreepool } from './freepool.ts';
import { hostType, type Host, type Reservation } from '../model.ts';

/**
 * Takes the host out of the reservation's aggregate, and the slots out of Placement where no server
 * uses them.
 */
export async function leaveFailed(
  context: Context,
  { id, resourceType, details }: Reservation,
  host: Host,
): Promise<void> {
  try {
    if ('aggregateId' in details && details.aggregateId !== null)
      await leaveAggregate(context, details.aggregateId, host.serviceName);
    if (resourceType === hostType) await joinFreepool(context, host.serviceName);
    else await deleteInventory(context, host.hypervisorHostname, id);
  } catch (error) {
    // its servers are still there: what they use stays until they go
    if (!(error instanceof ApiError)) throw error;
  }
}
