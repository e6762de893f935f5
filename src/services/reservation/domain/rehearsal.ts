// Rehearses the failure of hosts: moves their reservations as the monitor does.
import type { Explanation } from '../../../emulator/explain/model.ts';
import type { Displaced, Lost, Moved } from '../../../emulator/host-failures/model.ts';
import type { Context } from '../../../kernel/model.ts';
import { allocationsOf } from '../store/allocations.ts';
import { findHosts } from '../store/hosts.ts';
import { failHosts } from './healing.ts';

/** Moves the reservations on failed hosts, those of future leases too. */
export async function rehearseFailure(
  context: Context,
  hosts: readonly string[],
  explanations: readonly Explanation[],
): Promise<Displaced> {
  const moved: Moved[] = [];
  const lost: Lost[] = [];
  // With several failed hosts, a reservation may be moved more than once.
  const healed = new Map(
    (await failHosts(context, hosts)).map((one) => [one.reservation.id, one] as const),
  );
  for (const { lease, reservation, isWhole } of healed.values()) {
    const part = { id: reservation.id, name: lease.name };
    const ids = (await allocationsOf(context.db, reservation.id)).map(({ hostId }) => hostId);
    if (isWhole) {
      const used = await findHosts(context.db, ids);
      moved.push({ ...part, to: used.map(({ hypervisorHostname }) => hypervisorHostname) });
    } else {
      const why = explanations.findLast(({ subject }) => subject === lease.id)?.summary;
      lost.push({ ...part, reason: why ?? 'No other host is free.' });
    }
  }
  return { noun: 'reservations', moved, lost };
}
