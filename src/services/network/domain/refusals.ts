// The refusals of Network, under the names of upstream's exceptions. Upstream: neutron_lib/exceptions.
import { badRequest, conflict, forbidden, notFound, type Fault } from '../../../kernel/fault.ts';
import type { Network } from './records.ts';

/** A refusal with the name that clients read in `type`. */
const named = (make: (message: string, details: { type: string }) => Fault) => (type: string, message: string) =>
  make(message, { type });

export const absent = named(notFound);
export const inConflict = named(conflict);
export const bad = named(badRequest);
export const denied = named(forbidden);

/** A refusal of an attribute check, which has no name of its own. */
export const badInput = (message: string): Fault => badRequest(message, { type: 'HTTPBadRequest' });

export const invalidInput = (why: string): Fault => bad('InvalidInput', `Invalid input for operation: ${why}.`);

export const badResource = (resource: string, why: string): Fault => bad('BadRequest', `Bad ${resource} request: ${why}.`);

/** @throws 400 for a network that is not external */
export function checkExternal(network: Network, resource: string, what: string): void {
  if (!network['router:external']) throw badResource(resource, `Network ${network.id} is not ${what} external network`);
}

/** For a caller who may not know that the resource exists. */
export const hidden = (): Fault => absent('HTTPNotFound', 'The resource could not be found.');

export const networkNotFound = (id: string): Fault => absent('NetworkNotFound', `Network ${id} could not be found.`);
export const subnetNotFound = (id: string): Fault => absent('SubnetNotFound', `Subnet ${id} could not be found.`);
export const subnetpoolNotFound = (id: string): Fault => absent('SubnetPoolNotFound', `Subnet pool ${id} could not be found.`);
export const addressScopeNotFound = (id: string): Fault =>
  absent('AddressScopeNotFound', `Address scope ${id} could not be found.`);
export const portNotFound = (id: string): Fault => absent('PortNotFound', `Port ${id} could not be found.`);
export const routerNotFound = (id: string): Fault => absent('RouterNotFound', `Router ${id} could not be found`);
export const floatingipNotFound = (id: string): Fault => absent('FloatingIPNotFound', `Floating IP ${id} could not be found`);
export const groupNotFound = (id: string): Fault => absent('SecurityGroupNotFound', `Security group ${id} does not exist`);
export const ruleNotFound = (id: string): Fault =>
  absent('SecurityGroupRuleNotFound', `Security group rule ${id} does not exist`);

export const networkInUse = (id: string, reason: string): Fault =>
  inConflict('NetworkInUse', `Unable to complete operation on network ${id}. ${reason}.`);

export const subnetInUse = (id: string): Fault =>
  inConflict(
    'SubnetInUse',
    `Unable to complete operation on subnet ${id}: One or more ports have an IP allocation from this subnet.`,
  );

export const addressInUse = (networkId: string, ip: string): Fault =>
  inConflict('IpAddressInUse', `Unable to complete operation for network ${networkId}. The IP address ${ip} is in use.`);

export const macInUse = (networkId: string, mac: string): Fault =>
  inConflict('MacAddressInUse', `Unable to complete operation for network ${networkId}. The mac address ${mac} is in use.`);

export const noAddressLeft = (networkId: string): Fault =>
  inConflict('IpAddressGenerationFailure', `No more IP addresses available on network ${networkId}.`);
