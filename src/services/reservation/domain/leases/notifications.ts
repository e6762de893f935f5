// The notifications of Blazar about leases. Upstream: blazar/notification/api.py.
import type { Context } from '../../../../kernel/model.ts';
import { notify } from '../../../../kernel/notifications.ts';
import type { WholeLease } from '../../model.ts';
import { leasePayload } from '../../views/leases.ts';

const source = { service: 'reservation', exchange: 'openstack', topic: 'notifications' };

/** Reports a change of a lease, or that an event of it has run. */
export const notifyLease = (
  context: Context,
  event: 'create' | 'update' | 'delete' | `event.${string}`,
  leaseOf: () => WholeLease | Promise<WholeLease>,
): Promise<void> =>
  notify(context, source, { publisherId: 'blazar.lease', eventType: `lease.${event}` }, async () =>
    leasePayload(await leaseOf()),
  );
