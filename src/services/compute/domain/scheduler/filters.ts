// The filters: each passes or rejects a host, for one reason. Upstream: nova/scheduler/filters.
import type { HostState } from './hosts.ts';
import { forReservations } from './reservations.ts';
import type { RequestSpec } from './request-spec.ts';

export interface Filter {
  readonly name: string;
  passes(host: HostState, spec: RequestSpec, members: GroupHosts): boolean;
}

/** The hosts of the members of the server's group, and of the servers that its hints name. */
export interface GroupHosts {
  /** How many members are on a host, or may go back to it; the server itself is not counted. */
  countOn(host: string): number;
  /** The hosts of all members, the server itself included. */
  readonly hosts: ReadonlySet<string>;
  /** The hosts of the servers that hints name, by UUID. */
  readonly hinted: ReadonlyMap<string, string>;
}

const isUp: Filter = { name: 'compute', passes: ({ enabled, up }) => enabled && up };

const notIgnored: Filter = {
  name: 'ignored hosts',
  passes: ({ host }, spec) => !spec.ignoredHosts.includes(host),
};

const isRequested: Filter = {
  name: 'requested destination',
  passes: ({ host, node }, spec) =>
    (spec.host === null || spec.host === host) && (spec.node === null || spec.node === node),
};

const inZone: Filter = {
  name: 'availability zone',
  passes: ({ zone }, spec) => spec.zone === null || spec.zone === zone,
};

/**
 * Hosts of an aggregate with `filter_tenant_id` (or several, with any suffix) take servers of those
 * projects alone.
 */
const forTenant: Filter = {
  name: 'tenants of aggregates',
  passes({ aggregates }, spec) {
    const tenants = aggregates.flatMap(({ metadata }) =>
      Object.entries(metadata)
        .filter(([key]) => key.startsWith('filter_tenant_id'))
        .flatMap(([, value]) => value.split(',').map((tenant) => tenant.trim())),
    );
    return !tenants.length || tenants.includes(spec.projectId);
  },
};

const scope = 'aggregate_instance_extra_specs';

/**
 * Extra specs without a namespace, or in the one of this filter, must be met by the metadata of the
 * host's aggregates.
 */
const extraSpecs: Filter = {
  name: 'extra specs of aggregates',
  passes({ aggregates }, { flavor }) {
    return Object.entries(flavor.extraSpecs).every(([key, required]) => {
      const [namespace, ...rest] = key.split(':');
      if (
        (rest.length && namespace !== scope) ||
        key === 'group_policy' ||
        key === 'hide_hypervisor_id'
      )
        return true;
      const name = rest.length ? rest.join(':') : key;
      return aggregates.some(({ metadata }) =>
        metadata[name]?.split(',').some((has) => meets(has.trim(), required)),
      );
    });
  },
};

/**
 * Whether a value meets an extra spec: a bare value, or an operator and its operands. Upstream:
 * extra_specs_ops.py.
 */
function meets(has: string, required: string): boolean {
  const [operator, ...operands] = required.trim().split(/\s+/);
  const operand = operands.join(' ');
  switch (operator) {
    case '=':
    case '>=':
      return Number(has) >= Number(operand);
    case '<=':
      return Number(has) <= Number(operand);
    case '==':
      return Number(has) === Number(operand);
    case '!=':
      return Number(has) !== Number(operand);
    case 's==':
      return has === operand;
    case 's!=':
      return has !== operand;
    case 's<':
      return has < operand;
    case 's<=':
      return has <= operand;
    case 's>':
      return has > operand;
    case 's>=':
      return has >= operand;
    case '<in>':
      return has.includes(operand);
    case '<or>':
      return operand.split(/\s*<or>\s*/).includes(has);
    default:
      return has === required;
  }
}

/**
 * A host has no more members than the rule allows; the current host of the server always passes.
 */
const antiAffinity: Filter = {
  name: 'anti-affinity',
  passes: ({ host }, { group, currentHost }, members) =>
    group?.policy !== 'anti-affinity' ||
    host === currentHost ||
    members.countOn(host) < group.perHost,
};

const affinity: Filter = {
  name: 'affinity',
  passes: ({ host }, { group }, { hosts }) =>
    group?.policy !== 'affinity' || !hosts.size || hosts.has(host),
};

/** A host that has one of the servers at least. */
const sameHost: Filter = {
  name: 'same host',
  passes: ({ host }, { sameHost: uuids }, { hinted }) =>
    !uuids.length || uuids.some((uuid) => hinted.get(uuid) === host),
};

const differentHost: Filter = {
  name: 'different host',
  passes: ({ host }, { differentHost: uuids }, { hinted }) =>
    !uuids.some((uuid) => hinted.get(uuid) === host),
};

/** All filters, in the order in which they run. */
export const filters: readonly Filter[] = [
  isUp,
  notIgnored,
  isRequested,
  inZone,
  forReservations,
  forTenant,
  extraSpecs,
  antiAffinity,
  affinity,
  sameHost,
  differentHost,
];
