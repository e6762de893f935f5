// Floating IPs that can be reserved: addresses of a network's subnets that Network itself never
// hands out. Upstream: blazar/plugins/floatingips.
import { isDuplicate, isForeignKey } from '../../../kernel/db/errors.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { badRequest, conflict, notFound } from '../../../kernel/errors.ts';
import { newUuid } from '../../../kernel/ids.ts';
import type { Context } from '../../../kernel/model.ts';
import { placeOf, subnetsOf } from '../clients/network.ts';
import {
  deleteFloatingIp,
  findFloatingIp,
  floatingIpAllocations,
  insertFloatingIp,
} from '../store/floating-ips.ts';
import type { FloatingIp } from '../model.ts';
import { malformed, valuesOf } from './values.ts';

/** @throws 404 */
export async function floatingIpOf({ db }: { readonly db: Db }, id: string): Promise<FloatingIp> {
  const found = id.length <= 36 ? await findFloatingIp(db, id) : undefined;
  if (!found) throw notFound(`Floating IP ${id} not found.`);
  return found;
}

/** Registers an address. @throws 400, 404, 409 */
export async function registerFloatingIp(context: Context, body: unknown): Promise<FloatingIp> {
  const values = valuesOf(body);
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
  const place = placeOf(subnets, address);
  if (!place) throw notFound(`Valid subnet for the floating IP ${address} is not found.`);
  if (place.isTaken)
    throw badRequest(
      `The floating IP ${address} is used in allocation_pools or gateway_ip in subnet ${place.subnetId} .`,
    );
  const common = { networkId, subnetId: place.subnetId, address, reservable: true, revision: 1 };
  const ip: FloatingIp = { ...common, id: newUuid(), createdAt: context.now, updatedAt: null };
  try {
    await insertFloatingIp(context.db, ip);
  } catch (error) {
    // Upstream answers with a 500: "BlazarDBDuplicateEntry: A database error occurred".
    throw isDuplicate(error)
      ? conflict(`The floating IP ${address} is registered already.`)
      : error;
  }
  return ip;
}

/** @throws 404, 409 while it is promised to a lease that is there */
export async function unregisterFloatingIp(context: Context, id: string): Promise<void> {
  const ip = await floatingIpOf(context, id);
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
