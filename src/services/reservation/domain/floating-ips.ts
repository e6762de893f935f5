// Reservable floating IPs: addresses in a network's subnets that Network itself never assigns.
// Upstream: blazar/plugins/floatingips.
import { isDuplicate, isForeignKey } from '../../../kernel/db/errors.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { badRequest, conflict, notFound } from '../../../kernel/errors.ts';
import { newUuid } from '../../../kernel/ids.ts';
import type { Context } from '../../../kernel/model.ts';
import { requireDelegation } from '../clients/identity.ts';
import { findSubnet, subnetsOf } from '../clients/network.ts';
import {
  deleteFloatingIp,
  findFloatingIp,
  floatingIpAllocations,
  insertFloatingIp,
} from '../store/floating-ips.ts';
import type { FloatingIp } from '../model.ts';
import { malformed, readObject } from './values.ts';

/** @throws 404 */
export async function getFloatingIp({ db }: { readonly db: Db }, id: string): Promise<FloatingIp> {
  const ip = id.length <= 36 ? await findFloatingIp(db, id) : undefined;
  if (!ip) throw notFound(`Floating IP ${id} not found.`);
  return ip;
}

/**
 * Registers an address. Upstream creates a trust for it and never uses it. This function creates
 * none, but like upstream refuses tokens that may not create trusts.
 * @throws 400, 403, 404, 409
 */
export async function registerFloatingIp(context: Context, body: unknown): Promise<FloatingIp> {
  requireDelegation(context);
  const values = readObject(body);
  const names = ['floating_network_id', 'floating_ip_address'];
  const absent = names.filter((name) => values[name] === undefined || values[name] === null);
  if (absent.length) throw badRequest(`Missing parameter ${absent.join(',')}`);
  const [networkId, address] = names.map((name) => {
    const value = values[name];
    if (typeof value !== 'string' || value.length > 255) throw malformed(name);
    return value;
  }) as [string, string];
  const subnets = await subnetsOf(context, networkId);
  if (!subnets) throw badRequest(`Failed to find network ${networkId}`);
  const match = findSubnet(subnets, address);
  if (!match) throw notFound(`Valid subnet for the floating IP ${address} is not found.`);
  if (match.isUsed)
    throw badRequest(
      `The floating IP ${address} is used in allocation_pools or gateway_ip in subnet ` +
        `${match.subnetId} .`,
    );
  const common = { networkId, subnetId: match.subnetId, address, reservable: true, revision: 1 };
  const ip: FloatingIp = { ...common, id: newUuid(), createdAt: context.now, updatedAt: null };
  try {
    await insertFloatingIp(context.db, ip);
  } catch (error) {
    // Upstream returns a 500: "BlazarDBDuplicateEntry: A database error occurred".
    throw isDuplicate(error)
      ? conflict(`The floating IP ${address} is registered already.`)
      : error;
  }
  return ip;
}

/** Unregisters a floating IP. @throws 404, 409 while an existing lease reserves it */
export async function unregisterFloatingIp(context: Context, id: string): Promise<void> {
  const ip = await getFloatingIp(context, id);
  const reserved = conflict(
    `Can't delete floating IP ${ip.id}. Floating IP id ${ip.id} is allocated by reservations.`,
  );
  if ((await floatingIpAllocations(context.db, [ip.id])).length) throw reserved;
  try {
    await deleteFloatingIp(context.db, ip.id);
  } catch (error) {
    throw isForeignKey(error) ? reserved : error;
  }
}
