// The scheduler's filters, each of which rejects hosts for one reason. Upstream:
// nova/scheduler/filters.
import type { Filter } from './filter.ts';
import { forReservations } from './reservations.ts';

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
 * Hosts of an aggregate with `filter_tenant_id` metadata accept only the servers of the projects
 * that it lists. There may be several such items, with any suffix.
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

const namespace = 'aggregate_instance_extra_specs:';

/**
 * The metadata of the host's aggregates must satisfy the extra specs in the namespace of this
 * filter, with which Blazar reserves hosts. Upstream's filter also reads extra specs without a
 * namespace, but is off by default: in an ordinary Nova such a key means nothing.
 */
const extraSpecs: Filter = {
  name: 'extra specs of aggregates',
  passes({ aggregates }, { flavor }) {
    return Object.entries(flavor.extraSpecs).every(([key, required]) => {
      if (!key.startsWith(namespace)) return true;
      const name = key.slice(namespace.length);
      return aggregates.some(({ metadata }) =>
        metadata[name]?.split(',').some((has) => meets(has.trim(), required)),
      );
    });
  },
};

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

/** Passes a host that has at least one of the servers. */
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
