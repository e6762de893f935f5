// Captures reservable floating IPs, and which of them reservations have. No API of Blazar shows the
// latter: those of active reservations are in Network, and others are chosen again.
import { entriesOf, utcTimeOf } from '../../../../emulator/capture/fields.ts';
import type { CaptureSource, Json } from '../../../../emulator/capture/model.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { FloatingIpDetails, Lease, Reservation } from '../../model.ts';
import { insertFloatingIp, replaceFloatingIpAllocations } from '../../store/floating-ips.ts';
import { findFloatingIps } from '../candidates/floating-ips.ts';

/** A captured reservation of floating IPs. */
export interface ReservedFloatingIps {
  readonly lease: Lease;
  readonly reservation: Reservation<FloatingIpDetails>;
}

/** Captures floating IPs. A Blazar without their plugin answers with a 500. @returns how many */
export async function captureFloatingIps(
  { db, now }: Context,
  source: CaptureSource,
): Promise<number> {
  const reply = source.get('reservation', '/v1/floatingips');
  const shown = await source.ifKnown('reservable floating IPs', reply, {}, [404, 500]);
  const floatingips = entriesOf(shown, 'floatingips');
  for (const one of floatingips)
    await insertFloatingIp(db, {
      id: String(one['id']),
      networkId: String(one['floating_network_id']),
      subnetId: String(one['subnet_id']),
      address: String(one['floating_ip_address']),
      reservable: one['reservable'] !== false,
      revision: 1,
      createdAt: utcTimeOf(one['created_at']) ?? now,
      updatedAt: utcTimeOf(one['updated_at']),
    });
  return (floatingips as readonly Json[]).length;
}

/** The details of a reservation of floating IPs. */
export const floatingIpDetails = (one: Json): FloatingIpDetails => ({
  networkId: String(one['network_id']),
  amount: Number(one['amount']),
  required: (one['required_floatingips'] ?? []) as readonly string[],
});

/** Allocates floating IPs to reservations, first to those whose addresses are known. */
export async function allocateFloatingIps(
  context: Context,
  source: CaptureSource,
  all: readonly ReservedFloatingIps[],
): Promise<void> {
  const isActive = ({ reservation }: ReservedFloatingIps): boolean =>
    reservation.status === 'active';
  const addresses = await source.each('reserved floating IPs', all.filter(isActive), (one) =>
    addressesOf(source, one),
  );
  const known = new Map(all.filter(isActive).map((one, at) => [one, addresses[at]!]));
  const left = all.filter((one) => !isActive(one));
  for (const one of [...known.keys(), ...left]) {
    const { lease, reservation } = one;
    const { details, id } = reservation;
    if (reservation.status === 'deleted') continue;
    const required = [...new Set([...(known.get(one) ?? []), ...details.required])];
    const { startAt, endAt } = lease;
    const search = { details: { ...details, required }, startAt, endAt };
    const chosen = (await findFloatingIps(context, search)) ?? [];
    const ids = chosen.map((ip) => ip.id);
    await replaceFloatingIpAllocations(context.db, id, lease, ids);
  }
}

/** The addresses in Network that an active reservation has, by their tag. */
async function addressesOf(
  source: CaptureSource,
  { reservation }: ReservedFloatingIps,
): Promise<string[]> {
  const path = `/v2.0/floatingips?tags=reservation:${reservation.id}`;
  const { floatingips } = await source.get('network', path);
  return (floatingips as readonly Json[]).map((one) => String(one['floating_ip_address']));
}
