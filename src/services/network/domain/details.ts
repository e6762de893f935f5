// What clients see of resources besides their own attributes: loaded for all resources of a reply
// at once, by id.
import type { FixedIp, Port, SecurityGroupRule, Subnet, Subnetpool } from '../model.ts';

type ById<V> = ReadonlyMap<string, V>;

/** The tags of resources, by their ids. */
export interface Tags {
  readonly tags: ById<readonly string[]>;
}

export interface NetworkDetails extends Tags {
  /** By the id of the network. */
  readonly subnets: ById<readonly Subnet[]>;
  /** The subnet pools that those subnets come from, by their own ids. */
  readonly pools: ById<Subnetpool>;
}

export interface SubnetDetails extends Tags {
  /** The ids of the external networks. */
  readonly externalNetworks: ReadonlySet<string>;
}

export interface PortDetails extends Tags {
  /** By the id of the port. */
  readonly fixedIps: ById<readonly FixedIp[]>;
  /** The ids of security groups, by the id of the port. */
  readonly securityGroups: ById<readonly string[]>;
}

export interface RouterDetails extends Tags {
  /** The gateway ports, by their own ids. */
  readonly gateways: ById<Port>;
  /** By the id of the gateway port. */
  readonly fixedIps: ById<readonly FixedIp[]>;
}

export interface FloatingipDetails extends Tags {
  /** The ports that floating IPs lead to, by their own ids. */
  readonly ports: ById<Port>;
}

export interface SecurityGroupDetails extends Tags {
  /** By the id of the group. */
  readonly rules: ById<readonly SecurityGroupRule[]>;
}
