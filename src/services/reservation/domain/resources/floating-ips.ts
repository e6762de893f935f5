// Reservations of floating IPs (virtual:floatingip). Upstream:
// blazar/plugins/floatingips/floatingip_plugin.py.
import { isIP } from 'node:net';
import { badRequest, ApiError } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { createFloatingIp, deleteFloatingIp } from '../../clients/network.ts';
import {
  countFloatingIpPromises,
  floatingIpAllocations,
  floatingIpsOf,
  listFloatingIps,
  replaceFloatingIpAllocations,
} from '../../store/floating-ips.ts';
import { updateReservation } from '../../store/reservations.ts';
import type { FloatingIp, FloatingIpDetails, Reservation, Span } from '../../model.ts';
import { integerOf, malformed, missing, type Values } from '../values.ts';
import type { Change, Reserved, ResourceType } from './types.ts';

type Mine = Reserved<FloatingIpDetails>;

function readDetails(values: Values): FloatingIpDetails {
  const absent = ['network_id', 'amount'].find(
    (name) => values[name] === undefined || values[name] === null,
  );
  if (absent !== undefined) throw missing(absent);
  const { network_id: networkId, required_floatingips: asked = [] } = values;
  if (typeof networkId !== 'string' || networkId.length > 255) throw malformed('network_id');
  const amount = integerOf(values['amount']);
  if (amount === undefined || amount < 1) throw malformed('amount');
  if (!Array.isArray(asked)) throw malformed('required_floatingips');
  const wrong = (asked as unknown[]).find((ip) => typeof ip !== 'string' || !isIP(ip));
  if (wrong !== undefined)
    throw badRequest(`IP address ${String(wrong).slice(0, 100)} is invalid form.`);
  const required = [...new Set(asked as string[])];
  if (required.length > amount)
    throw badRequest(
      'Invalid values for required_floatingips and amount. The amount must be equal to or longer than length of required_floatingips.',
    );
  return { networkId, amount, required };
}

const tooFew = () => badRequest('Not enough floating IPs available');

/** What is looked for, whose own promises do not stand in the way, and which it has already. */
interface Search extends Span {
  readonly details: FloatingIpDetails;
  readonly without?: string;
  readonly kept?: readonly string[];
}

/**
 * Chooses floating IPs: those that must be, those that it has, those that nobody has reserved ever,
 * those that are free.
 * @returns undefined where there are too few
 */
export async function chooseFloatingIps(
  context: Context,
  { details, without, kept = [], ...span }: Search,
): Promise<FloatingIp[] | undefined> {
  const { networkId, amount, required } = details;
  const all = (await listFloatingIps(context.db, networkId)).filter(({ reservable }) => reservable);
  const taken = await floatingIpAllocations(
    context.db,
    all.map(({ id }) => id),
    without,
  );
  const isFree = ({ id }: FloatingIp): boolean =>
    !taken.some((one) => one.floatingIpId === id && meets(one, span));
  const rank = (ip: FloatingIp): number => {
    if (required.includes(ip.address)) return 0;
    if (kept.includes(ip.id)) return 1;
    return taken.some((one) => one.floatingIpId === ip.id) ? 3 : 2;
  };
  const free = all.filter(isFree).toSorted((a, b) => rank(a) - rank(b));
  const lacks = required.some((address) => !free.some((ip) => ip.address === address));
  return lacks || free.length < amount ? undefined : free.slice(0, amount);
}

/** Promises floating IPs. @throws 400 where there are too few */
async function promise(
  context: Context,
  { lease, reservation }: Mine,
  kept: readonly string[] = [],
): Promise<FloatingIp[]> {
  const { details, id } = reservation;
  const chosen = await chooseFloatingIps(context, {
    details,
    startAt: lease.startAt,
    endAt: lease.endAt,
    without: id,
    kept,
  });
  if (!chosen) throw tooFew();
  await countFloatingIpPromises(context.db, chosen);
  await replaceFloatingIpAllocations(
    context.db,
    id,
    lease,
    chosen.map((ip) => ip.id),
  );
  return chosen;
}

const meets = (a: Span, b: Span): boolean => a.endAt > b.startAt && a.startAt < b.endAt;

const tagOf = ({ id }: Reservation): string => `reservation:${id}`;

/** Makes the floating IPs in Network. @throws 500 where Network refuses */
async function handOver(
  context: Context,
  { lease, reservation }: Mine,
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
    await promise(context, reserved);
  },

  prepare: (_context, { reservation }) => Promise.resolve(reservation),

  async start(context, reserved) {
    await handOver(context, reserved, await floatingIpsOf(context.db, reserved.reservation.id));
    return true;
  },

  beforeEnd: () => Promise.resolve(),

  /** The promises stay written until the lease is deleted. */
  async end(context, { reservation }) {
    if (reservation.status === 'pending') return true;
    // Of one that failed to start, the address may be somebody else's.
    const tag = reservation.status === 'active' ? undefined : tagOf(reservation);
    for (const ip of await floatingIpsOf(context.db, reservation.id))
      await deleteFloatingIp(context, ip, tag);
    return true;
  },

  update,
};

const refused = (why: string) =>
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
  if (networkId !== details.networkId) throw refused('Updating network_id is not supported');
  const isSame = JSON.stringify(required) === JSON.stringify(details.required);
  if (!isSame && !(Array.isArray(required) && !required.length))
    throw refused('Updating required_floatingips is not supported except with an empty list');
  const after = readDetails({
    network_id: networkId,
    amount: values['amount'] ?? details.amount,
    required_floatingips: required,
  });
  const before = await floatingIpsOf(context.db, reservation.id);
  const isActive = reservation.status === 'active';
  if (isActive && after.amount < details.amount)
    throw refused('Cannot remove allocations from an active reservation');
  const later = { lease: { ...lease, ...span }, reservation: { ...reservation, details: after } };
  const chosen = await promise(
    context,
    later,
    before.map(({ id }) => id),
  );
  if (isActive) {
    if (before.some(({ id }) => !chosen.some((ip) => ip.id === id)))
      throw refused('Cannot remove allocations from an active reservation');
    await handOver(
      context,
      later,
      chosen.filter(({ id }) => !before.some((ip) => ip.id === id)),
    );
  }
  return updateReservation(context.db, reservation, { details: after }, context.now);
}
