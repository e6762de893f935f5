// The scheduler's filters, each of which rejects hosts for one reason. Upstream:
// nova/scheduler/filters.
import type { Filter } from './filter.ts';
import type { HostState } from './hosts.ts';
import { forReservations } from './reservations.ts';

const isUp: Filter = {
  name: 'compute',
  passes: ({ enabled, up }) => enabled && up,
  why: ({ enabled }) => `has a compute service that is ${enabled ? 'down' : 'disabled'}`,
};

const notIgnored: Filter = {
  name: 'ignored hosts',
  canReject: ({ ignoredHosts }) => ignoredHosts.length > 0,
  passes: ({ host }, spec) => !spec.ignoredHosts.includes(host),
  why: () => 'is excluded by the request',
};

const isRequested: Filter = {
  name: 'requested destination',
  canReject: ({ host, node }) => host !== null || node !== null,
  passes: ({ host, node }, spec) =>
    (spec.host === null || spec.host === host) && (spec.node === null || spec.node === node),
  why: (_, { host, node }) => `is not ${host ?? node}, which the request names`,
};

const inZone: Filter = {
  name: 'availability zone',
  canReject: ({ zone }) => zone !== null,
  passes: ({ zone }, spec) => spec.zone === null || spec.zone === zone,
  why: ({ zone }, spec) => `is in the zone ${zone}, and the request names ${spec.zone}`,
};

/** Hosts of an aggregate with `filter_tenant_id` metadata accept only servers of those projects. */
const forTenant: Filter = {
  name: 'tenants of aggregates',
  passes: ({ tenants }, { projectId }) => !tenants || tenants.has(projectId),
  why: (_, { projectId }) =>
    `is in an aggregate for other projects than ${projectId} (filter_tenant_id)`,
};

const namespace = 'aggregate_instance_extra_specs:';

/**
 * The metadata of the host's aggregates must satisfy the extra specs in the namespace of this
 * filter, with which Blazar reserves hosts. Upstream's filter also reads extra specs without a
 * namespace, but is off by default: in an ordinary Nova such a key means nothing.
 */
const extraSpecs: Filter = {
  name: 'extra specs of aggregates',
  canReject: ({ flavor }) =>
    Object.keys(flavor.extraSpecs).some((key) => key.startsWith(namespace)),
  passes: ({ aggregates }, { flavor }) =>
    Object.entries(flavor.extraSpecs).every((spec) => satisfies(aggregates, spec)),
  why({ aggregates }, { flavor }) {
    const unmet = Object.entries(flavor.extraSpecs).find((spec) => !satisfies(aggregates, spec));
    return `is in no aggregate that satisfies ${unmet?.join('=')}`;
  },
};

/** Whether the metadata of an aggregate satisfies an extra spec that is for aggregates. */
function satisfies(
  aggregates: HostState['aggregates'],
  [key, required]: readonly [key: string, required: string],
): boolean {
  if (!key.startsWith(namespace)) return true;
  const name = key.slice(namespace.length);
  return aggregates.some(({ metadata }) =>
    metadata[name]?.split(',').some((has) => meets(has.trim(), required)),
  );
}

/**
 * Whether a value satisfies an extra spec, which is a plain value or an operator with its operands.
 * Upstream: extra_specs_ops.py.
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
 * Rejects hosts that already have as many members as the rule allows. The current host of the
 * server always passes.
 */
const antiAffinity: Filter = {
  name: 'anti-affinity',
  readsGroup: true,
  canReject: ({ group }) => group?.policy === 'anti-affinity',
  passes: ({ host }, { group, currentHost }, members) =>
    group?.policy !== 'anti-affinity' ||
    host === currentHost ||
    members.countOn(host) < group.perHost,
  why: ({ host }, { group }, members) =>
    `has ${members.countOn(host)} of at most ` +
    `${group?.policy === 'anti-affinity' ? group.perHost : 0} members of the server group`,
};

const affinity: Filter = {
  name: 'affinity',
  readsGroup: true,
  canReject: ({ group }, { hosts }) => group?.policy === 'affinity' && hosts.size > 0,
  passes: ({ host }, { group }, { hosts }) =>
    group?.policy !== 'affinity' || !hosts.size || hosts.has(host),
  why: (_, __, { hosts }) => `is not ${[...hosts].join(' or ')}, where the server group is`,
};

/** Passes a host that has at least one of the servers. */
const sameHost: Filter = {
  name: 'same host',
  canReject: ({ sameHost: uuids }) => uuids.length > 0,
  passes: ({ host }, { sameHost: uuids }, { hinted }) =>
    !uuids.length || uuids.some((uuid) => hinted.get(uuid) === host),
  why: (_, { sameHost: uuids }) => `has none of the servers ${uuids.join(', ')} (same_host)`,
};

const differentHost: Filter = {
  name: 'different host',
  canReject: ({ differentHost: uuids }) => uuids.length > 0,
  passes: ({ host }, { differentHost: uuids }, { hinted }) =>
    !uuids.some((uuid) => hinted.get(uuid) === host),
  why: (_, { differentHost: uuids }) => `has one of ${uuids.join(', ')} (different_host)`,
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
