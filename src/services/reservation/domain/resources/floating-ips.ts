// Reservations of floating IPs (virtual:floatingip). Upstream:
// blazar/plugins/floatingips/floatingip_plugin.py.
import { isIP } from 'node:net';
import { badRequest, ApiError } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { createFloatingIp, deleteFloatingIp } from '../../clients/network.ts';
import {
  bumpFloatingIpRevisions,
  floatingIpsOf,
  replaceFloatingIpAllocations,
} from '../../store/floating-ips.ts';
import { updateReservation } from '../../store/reservations.ts';
import type { FloatingIp, FloatingIpDetails, Reservation } from '../../model.ts';
import { findFloatingIps, tooFewFloatingIps } from '../candidates/floating-ips.ts';
import { readInteger, malformed, missing, type Values } from '../values.ts';
import type { Change, LeasedReservation, ResourceType } from './types.ts';

function readDetails(values: Values): FloatingIpDetails {
  const absent = ['network_id', 'amount'].find(
    (name) => values[name] === undefined || values[name] === null,
  );
  if (absent !== undefined) throw missing(absent);
  const { network_id: networkId, required_floatingips: addresses = [] } = values;
  if (typeof networkId !== 'string' || networkId.length > 255) throw malformed('network_id');
  const amount = readInteger(values['amount']);
  if (amount === undefined || amount < 1) throw malformed('amount');
  if (!Array.isArray(addresses)) throw malformed('required_floatingips');
  const invalid = (addresses as unknown[]).find((ip) => typeof ip !== 'string' || !isIP(ip));
  if (invalid !== undefined)
    throw badRequest(`IP address ${String(invalid).slice(0, 100)} is invalid form.`);
  const required = [...new Set(addresses as string[])];
  if (required.length > amount)
    throw badRequest(
      'Invalid values for required_floatingips and amount. The amount must be equal to or ' +
        'longer than length of required_floatingips.',
    );
  return { networkId, amount, required };
}

/** Allocates floating IPs. @throws 400 if there are too few */
async function allocate(
  context: Context,
  { lease, reservation }: LeasedReservation<FloatingIpDetails>,
  kept: readonly string[] = [],
): Promise<FloatingIp[]> {
  const { details, id } = reservation;
  const search = {
    details,
    startAt: lease.startAt,
    endAt: lease.endAt,
    exceptReservation: id,
    kept,
    mustKeep: reservation.status === 'active' ? kept : [],
    ownLease: lease.id,
  };
  const chosen = await findFloatingIps(context, search);
  if (!chosen) throw tooFewFloatingIps(search);
  await bumpFloatingIpRevisions(context.db, chosen);
  await replaceFloatingIpAllocations(
    context.db,
    id,
    lease,
    chosen.map((ip) => ip.id),
  );
  return chosen;
}

const tagOf = ({ id }: Reservation): string => `reservation:${id}`;

/** Creates floating IPs in Network. @throws 500 if Network returns an error */
async function createFloatingIps(
  context: Context,
  { lease, reservation }: LeasedReservation<FloatingIpDetails>,
  ips: readonly FloatingIp[],
): Promise<void> {
  for (const { networkId, subnetId, address } of ips) {
    const tags = ['blazar', tagOf(reservation)];
    await createFloatingIp(context, {
      networkId,
      subnetId,
      address,
      projectId: lease.projectId,
      tags,
    }).catch((error: unknown) => {
      throw error instanceof ApiError
        ? new ApiError(500, `Failed to create floating IP: ${error.message}`)
        : error;
    });
  }
}

export const floatingIpReservations: ResourceType<FloatingIpDetails> = {
  read: (_context, values) => Promise.resolve(readDetails(values)),

  async allocate(context, reserved) {
    await allocate(context, reserved);
  },

  prepare: (_context, { reservation }) => Promise.resolve(reservation),

  async start(context, reserved) {
    await createFloatingIps(
      context,
      reserved,
      await floatingIpsOf(context.db, reserved.reservation.id),
    );
    return true;
  },

  beforeEnd: () => Promise.resolve(),

  /** Deletes the floating IPs in Network. The allocations stay until the lease is deleted. */
  async end(context, { reservation }) {
    if (reservation.status === 'pending') return true;
    // If the reservation failed to start, another floating IP may have the address: the tag
    // identifies this one.
    const tag = reservation.status === 'active' ? undefined : tagOf(reservation);
    for (const ip of await floatingIpsOf(context.db, reservation.id))
      await deleteFloatingIp(context, ip, tag);
    return true;
  },

  update,
};

const invalidUpdate = (why: string) =>
  badRequest(`Floating IP reservation cannot be updated with requested parameters. ${why}`);

async function update(
  context: Context,
  { lease, span, reservation, values }: Change<FloatingIpDetails>,
): Promise<Reservation<FloatingIpDetails>> {
  const { details } = reservation;
  const {
    network_id: networkId = details.networkId,
    required_floatingips: required = details.required,
  } = values;
  if (networkId !== details.networkId) throw invalidUpdate('Updating network_id is not supported');
  const isSame = JSON.stringify(required) === JSON.stringify(details.required);
  if (!isSame && !(Array.isArray(required) && !required.length))
    throw invalidUpdate('Updating required_floatingips is not supported except with an empty list');
  const after = readDetails({
    network_id: networkId,
    amount: values['amount'] ?? details.amount,
    required_floatingips: required,
  });
  const before = await floatingIpsOf(context.db, reservation.id);
  const isActive = reservation.status === 'active';
  if (isActive && after.amount < details.amount)
    throw invalidUpdate('Cannot remove allocations from an active reservation');
  const changed = { lease: { ...lease, ...span }, reservation: { ...reservation, details: after } };
  const chosen = await allocate(
    context,
    changed,
    before.map(({ id }) => id),
  );
  if (isActive) {
    if (before.some(({ id }) => !chosen.some((ip) => ip.id === id)))
      throw invalidUpdate('Cannot remove allocations from an active reservation');
    await createFloatingIps(
      context,
      changed,
      chosen.filter(({ id }) => !before.some((ip) => ip.id === id)),
    );
  }
  return updateReservation(context.db, reservation, { details: after }, context.now);
}
