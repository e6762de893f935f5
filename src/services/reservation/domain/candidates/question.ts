// The question whether hosts have room for a reservation, for explanations.
import type { Context } from '../../../../kernel/model.ts';
import type { Change, Question, Resource } from '../explanation/question.ts';
import { causesOn, holdersOn, type HostCause } from './causes.ts';
import { evaluationsOf } from './evaluations.ts';
import { assuming, readHosts, type Assumptions, type HostsRead, type Search } from './read.ts';
import type { Wanted } from './wanted.ts';

/** Reads what a choice depends on, including the reservations after its span. */
export async function hostQuestion(
  context: Context,
  { search, ownLease, choose, amount, kept = 0 }: Wanted,
): Promise<Question> {
  const read = await readHosts(context, { ...search, endAt: Number.MAX_SAFE_INTEGER / 2 });
  // Only a reservation of the whole host waits until the host is clean.
  const cleaning = 'demand' in search.details ? 0 : read.cleaning;
  const ends = [...read.usages.values()].flat().map(({ endAt }) => endAt + cleaning);
  const { startAt, endAt, resourceType } = search;
  return {
    resourceType,
    ownLease,
    span: { startAt, endAt },
    amount,
    kept,
    releases: [...new Set(ends)].toSorted((a, b) => a - b),
    fits: ({ span, amount: other = amount, changes = [] } = {}) => {
      const assumed = changes.length ? assuming(read, assumptionsOf(changes)) : read;
      return choose(evaluationsOf(assumed, { ...search, ...span }), other) !== undefined;
    },
    resources: () =>
      evaluationsOf(read, search).map(({ host, slots }) => {
        const { id, hypervisorHostname: name } = host;
        const causes = [...causesOn(host, read, search)];
        return {
          id: String(id),
          name,
          slots,
          causes,
          changes: changesOn(read, search, causes, host),
        };
      }),
  };
}

const assumptionsOf = (changes: readonly Change[]): Assumptions => ({
  ended: new Set(changes.flatMap((one) => (one.change === 'end_lease' ? [one.leaseId] : []))),
  reservable: new Set(
    changes.flatMap((one) => (one.change === 'make_reservable' ? [Number(one.id)] : [])),
  ),
});

/** Causes that no change of leases or of the host's state removes. */
const permanent: ReadonlySet<HostCause['cause']> = new Set([
  'requirement_unmet',
  'traits',
  'too_small',
  'max_unit',
] as const);

function changesOn(
  read: HostsRead,
  search: Search,
  causes: readonly HostCause[],
  host: HostsRead['hosts'][number],
): Resource['changes'] {
  if (causes.some(({ cause }) => permanent.has(cause))) return [];
  const { id, hypervisorHostname: name } = host;
  const ends = new Map(holdersOn(host, read, search).map((one) => [one.leaseId, one.endAt]));
  return [
    ...(host.reservable ? [] : [{ change: 'make_reservable' as const, id: String(id), name }]),
    ...[...ends].map(([leaseId, endAt]) => ({ change: 'end_lease' as const, leaseId, endAt })),
  ];
}
