// The errors of Network, with the names of upstream's exceptions. Upstream: neutron_lib/exceptions.
import type { ApiError } from '../../../kernel/errors.ts';
import type { Network, Port } from '../model.ts';
import { NetworkError } from '../network-error.ts';

const named =
  (status: number) =>
  (type: string, message: string): ApiError =>
    new NetworkError(status, type, message);

export const absent = named(404);
export const inConflict = named(409);
export const bad = named(400);
export const denied = named(403);

/** The error of a failed attribute check, which has a generic name. */
export const badInput = (message: string): ApiError => bad('HTTPBadRequest', message);

export const invalidInput = (why: string): ApiError =>
  bad('InvalidInput', `Invalid input for operation: ${why}.`);

export const badResource = (resource: string, why: string): ApiError =>
  bad('BadRequest', `Bad ${resource} request: ${why}.`);

/** @throws 400 if the network is not external */
export function checkExternal(network: Network, resource: string, what: string): void {
  if (!network['router:external'])
    throw badResource(resource, `Network ${network.id} is not ${what} external network`);
}

/** The error for a caller who must not learn that the resource exists. */
export const hidden = (): ApiError => absent('HTTPNotFound', 'The resource could not be found.');

export const networkNotFound = (id: string): ApiError =>
  absent('NetworkNotFound', `Network ${id} could not be found.`);
export const segmentNotFound = (id: string): ApiError =>
  absent('SegmentNotFound', `Segment ${id} could not be found.`);
export const subnetNotFound = (id: string): ApiError =>
  absent('SubnetNotFound', `Subnet ${id} could not be found.`);
export const subnetpoolNotFound = (id: string): ApiError =>
  absent('SubnetPoolNotFound', `Subnet pool ${id} could not be found.`);
export const addressScopeNotFound = (id: string): ApiError =>
  absent('AddressScopeNotFound', `Address scope ${id} could not be found.`);
export const addressGroupNotFound = (id: string): ApiError =>
  absent('AddressGroupNotFound', `Address group ${id} could not be found.`);
export const portNotFound = (id: string): ApiError =>
  absent('PortNotFound', `Port ${id} could not be found.`);
export const routerNotFound = (id: string): ApiError =>
  absent('RouterNotFound', `Router ${id} could not be found`);
export const conntrackHelperNotFound = (id: string): ApiError =>
  absent('ConntrackHelperNotFound', `Conntrack Helper ${id} could not be found.`);
export const floatingipNotFound = (id: string): ApiError =>
  absent('FloatingIPNotFound', `Floating IP ${id} could not be found`);
export const groupNotFound = (id: string): ApiError =>
  absent('SecurityGroupNotFound', `Security group ${id} does not exist`);
export const qosPolicyNotFound = (id: string): ApiError =>
  absent('QosPolicyNotFound', `QoS policy ${id} could not be found.`);
export const rbacPolicyNotFound = (id: string): ApiError =>
  absent('RbacPolicyNotFound', `RBAC policy of type unknown with ID ${id} not found`);
export const defaultRuleNotFound = (id: string): ApiError =>
  absent('DefaultSecurityGroupRuleNotFound', `Default Security Group rule ${id} does not exist`);
export const ruleNotFound = (id: string): ApiError =>
  absent('SecurityGroupRuleNotFound', `Security group rule ${id} does not exist`);

export const meteringLabelNotFound = (id: string): ApiError =>
  absent('MeteringLabelNotFound', `Metering label '${id}' does not exist.`);
export const meteringRuleNotFound = (id: string): ApiError =>
  absent('MeteringLabelRuleNotFound', `Metering label rule '${id}' does not exist.`);
export const flavorNotFound = (id: string): ApiError =>
  absent('FlavorNotFound', `Flavor ${id} could not be found.`);
export const serviceProfileNotFound = (id: string): ApiError =>
  absent('ServiceProfileNotFound', `Service Profile ${id} could not be found.`);

export const invalidServiceType = (type: unknown): ApiError =>
  bad('InvalidServiceType', `Invalid service type: ${String(type)}.`);

export const trunkNotFound = (id: string): ApiError =>
  absent('TrunkNotFound', `Trunk ${id} could not be found.`);

export const networkInUse = (id: string, reason: string): ApiError =>
  inConflict('NetworkInUse', `Unable to complete operation on network ${id}. ${reason}.`);

export const subnetInUse = (id: string): ApiError =>
  inConflict(
    'SubnetInUse',
    `Unable to complete operation on subnet ${id}: One or more ports have an IP allocation ` +
      'from this subnet.',
  );

export const addressInUse = (networkId: string, ip: string): ApiError =>
  inConflict(
    'IpAddressInUse',
    `Unable to complete operation for network ${networkId}. The IP address ${ip} is in use.`,
  );

export const macInUse = (networkId: string, mac: string): ApiError =>
  inConflict(
    'MacAddressInUse',
    `Unable to complete operation for network ${networkId}. The mac address ${mac} is in use.`,
  );

export const noAddressLeft = (networkId: string): ApiError =>
  inConflict(
    'IpAddressGenerationFailure',
    `No more IP addresses available on network ${networkId}.`,
  );

export const portInUse = ({ id, network_id, device_id }: Port): ApiError =>
  inConflict(
    'PortInUse',
    `Unable to complete operation on port ${id} for network ${network_id}. Port already has an ` +
      `attached device ${device_id}.`,
  );

export const parentInUse = (portId: string): ApiError =>
  inConflict(
    'ParentPortInUse',
    `Port ${portId} is currently in use and is not eligible for use as a parent port.`,
  );
