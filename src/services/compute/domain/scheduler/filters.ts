// The filters: each says whether a host will do, for one reason. Upstream: nova/scheduler/filters.
import { forReservations } from './reservations.ts';
import type { Candidate } from './hosts.ts';
import type { Wish } from './request-spec.ts';

export interface Filter {
  readonly name: string;
  passes(host: Candidate, wish: Wish, seats: Seats): boolean;
}

/** Where the members of the wish's group sit, and the servers that its hints name. */
export interface Seats {
  /** How many sit on a host, or may go back to it; the server itself is not counted. */
  on(host: string): number;
  /** The hosts that any of them is on, the server itself too. */
  readonly hosts: ReadonlySet<string>;
  /** The hosts of the servers that hints name, by UUID. */
  readonly named: ReadonlyMap<string, string>;
}

const isUp: Filter = { name: 'compute', passes: ({ enabled, up }) => enabled && up };

const notIgnored: Filter = { name: 'ignored hosts', passes: ({ host }, wish) => !wish.ignoredHosts.includes(host) };

const isAskedFor: Filter = {
  name: 'requested destination',
  passes: ({ host, node }, wish) => (wish.host === null || wish.host === host) && (wish.node === null || wish.node === node),
};

const inZone: Filter = { name: 'availability zone', passes: ({ zone }, wish) => wish.zone === null || wish.zone === zone };

/** Hosts of an aggregate with `filter_tenant_id` (or several, with any suffix) take servers of those projects alone. */
const forTenant: Filter = {
  name: 'tenants of aggregates',
  passes({ aggregates }, wish) {
    const tenants = aggregates.flatMap(({ metadata }) =>
      Object.entries(metadata)
        .filter(([key]) => key.startsWith('filter_tenant_id'))
        .flatMap(([, value]) => value.split(',').map((tenant) => tenant.trim())),
    );
    return !tenants.length || tenants.includes(wish.projectId);
  },
};

const scope = 'aggregate_instance_extra_specs';

/** Extra specs without a namespace, or in the one of this filter, must be met by the metadata of the host's aggregates. */
const extraSpecs: Filter = {
  name: 'extra specs of aggregates',
  passes({ aggregates }, { flavor }) {
    return Object.entries(flavor.extraSpecs).every(([key, wanted]) => {
      const [namespace, ...rest] = key.split(':');
      if ((rest.length && namespace !== scope) || key === 'group_policy' || key === 'hide_hypervisor_id') return true;
      const name = rest.length ? rest.join(':') : key;
      return aggregates.some(({ metadata }) => metadata[name]?.split(',').some((has) => meets(has.trim(), wanted)));
    });
  },
};

/** Whether a value meets what an extra spec wants of it: a bare value, or an operator and its operands. */
function meets(has: string, wanted: string): boolean {
  const [operator, ...operands] = wanted.trim().split(/\s+/);
  const operand = operands.join(' ');
  switch (operator) {
    case '=':
    case '>=': return Number(has) >= Number(operand); // prettier-ignore
    case '<=': return Number(has) <= Number(operand); // prettier-ignore
    case '==': return Number(has) === Number(operand); // prettier-ignore
    case '!=': return Number(has) !== Number(operand); // prettier-ignore
    case 's==': return has === operand; // prettier-ignore
    case 's!=': return has !== operand; // prettier-ignore
    case 's<': return has < operand; // prettier-ignore
    case 's<=': return has <= operand; // prettier-ignore
    case 's>': return has > operand; // prettier-ignore
    case 's>=': return has >= operand; // prettier-ignore
    case '<in>': return has.includes(operand); // prettier-ignore
    case '<or>': return operand.split(/\s*<or>\s*/).includes(has); // prettier-ignore
    default: return has === wanted; // prettier-ignore
  }
}

/** A host takes no more members than the rule says; a server may always go back to where it is. */
const antiAffinity: Filter = {
  name: 'anti-affinity',
  passes: ({ host }, { group, currentHost }, seats) =>
    group?.policy !== 'anti-affinity' || host === currentHost || seats.on(host) < group.perHost,
};

const affinity: Filter = {
  name: 'affinity',
  passes: ({ host }, { group }, seats) => group?.policy !== 'affinity' || !seats.hosts.size || seats.hosts.has(host),
};

/** A host that has one of the servers at least. */
const sameHost: Filter = {
  name: 'same host',
  passes: ({ host }, { nearTo }, { named }) => !nearTo.length || nearTo.some((uuid) => named.get(uuid) === host),
};

const differentHost: Filter = {
  name: 'different host',
  passes: ({ host }, { farFrom }, { named }) => !farFrom.some((uuid) => named.get(uuid) === host),
};

/** All filters, in the order in which they are asked. */
export const filters: readonly Filter[] = [
  isUp, notIgnored, isAskedFor, inZone, forReservations, forTenant, extraSpecs, antiAffinity, affinity, sameHost, differentHost,
]; // prettier-ignore
