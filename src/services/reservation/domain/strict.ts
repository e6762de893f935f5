// The strict setting, with which reservations rely on Placement alone, as the specification of
// reservations in Placement says: neither aggregates nor server groups, and a trait that keeps
// ordinary servers off the registered hosts.
import type { Context } from '../../../kernel/model.ts';
import { setReservableTrait } from '../clients/placement.ts';
import { listHosts } from '../store/hosts.ts';
import { loadSettings, reservationSettings } from './settings.ts';

/** Adds the trait to a host that is being registered, if the setting says so. */
export async function markHost(context: Context, hostname: string): Promise<void> {
  const { strict } = await loadSettings(context);
  if (strict) await setReservableTrait(context, hostname, true);
}

/** Adds the trait to all registered hosts, or removes it, after a change of the setting. */
export async function applyStrict(context: Context): Promise<void> {
  const { strict } = await loadSettings(context);
  for (const { hypervisorHostname } of await listHosts(context.db))
    await setReservableTrait(context, hypervisorHostname, strict);
}

/** Sets the setting of a new region, or after a reset, as the option says. */
export async function seedStrict({ cloud, db }: Context): Promise<void> {
  if (cloud.config.reservationMode === 'strict' && !(await reservationSettings.areChanged(db)))
    await reservationSettings.change(db, { strict: true });
}
