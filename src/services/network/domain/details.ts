// What clients see of resources besides their attributes. It is loaded for all resources of a reply
// together, by id.
import type { FixedIp, Port, SecurityGroupRule, Subnet, Subnetpool } from '../model.ts';

type ById<V> = ReadonlyMap<string, V>;

/** The tags of resources, by resource id. */
export interface Tags {
  readonly tags: ById<readonly string[]>;
}

export interface NetworkDetails extends Tags {
  /** By network id. */
  readonly subnets: ById<readonly Subnet[]>;
  /** The subnet pools of those subnets, by id. */
  readonly pools: ById<Subnetpool>;
}

export interface SubnetDetails extends Tags {
  /** The ids of the external networks. */
  readonly externalNetworks: ReadonlySet<string>;
}

export interface PortDetails extends Tags {
  /** By port id. */
  readonly fixedIps: ById<readonly FixedIp[]>;
  /** The ids of security groups, by port id. */
  readonly securityGroups: ById<readonly string[]>;
}

export interface RouterDetails extends Tags {
  /** The gateway ports, by id. */
  readonly gateways: ById<Port>;
  /** By the id of the gateway port. */
  readonly fixedIps: ById<readonly FixedIp[]>;
}

export interface FloatingipDetails extends Tags {
  /** The ports that floating IPs are associated with, by id. */
  readonly ports: ById<Port>;
}

export interface SecurityGroupDetails extends Tags {
  /** By group id. */
  readonly rules: ById<readonly SecurityGroupRule[]>;
}
