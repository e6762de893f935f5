// Describes why resources are unsuitable, and what would help: for programs, and in sentences.
import { counted, someOf } from '../../../../kernel/user/sentences.ts';
import { hostType, floatingIpType, type Amounts, type Lease } from '../../model.ts';
import { during, reasonOf, requirementText } from '../candidates/causes.ts';
import { dateText } from '../dates.ts';
import type { Requirement } from '../requirements.ts';
import type { Alternatives } from './alternatives.ts';
import type { Cause, Change, Holder, Question, Resource } from './question.ts';

/** The leases that an explanation mentions, by id; undefined if the reader may not see owners. */
export type Leases = ReadonlyMap<string, Lease> | undefined;

/** The maximum number of resources that are listed one by one. */
const maxResources = 50;

/** The maximum number of resources in the text. */
const maxLines = 5;

/** The ids of the leases that an explanation mentions. */
export const leasesIn = (
  resources: readonly Resource[],
  { changes = [] }: Alternatives,
): Set<string> =>
  new Set([
    ...resources.flatMap(({ causes }) => causes.flatMap(holdersOf).map(({ leaseId }) => leaseId)),
    ...changes.flatMap((one) => (one.change === 'end_lease' ? [one.leaseId] : [])),
  ]);

const holdersOf = (cause: Cause): readonly Holder[] => ('holders' in cause ? cause.holders : []);

/** The resources with all of their causes, the ones with the fewest causes first. */
export const resourcesView = (resources: readonly Resource[], leases: Leases): object[] =>
  resources
    .toSorted((one, other) => one.causes.length - other.causes.length)
    .slice(0, maxResources)
    .map(({ id, name, slots, causes }) => ({
      id,
      name,
      amount: slots,
      causes: causes.map((cause) => causeView(cause, leases)),
    }));

/** A cause for programs. */
export function causeView(cause: Cause, leases: Leases): object {
  const { cause: name, ...fields } = cause;
  return {
    cause: name,
    ...fieldsView(fields),
    ...('holders' in cause
      ? { held_by: cause.holders.map((holder) => holderView(holder, leases)) }
      : {}),
    text: causeText(cause, leases),
  };
}

/** The numbers of a cause. */
function fieldsView(fields: Readonly<Record<string, unknown>>): object {
  const { requirement, traits, resource, capacity, maxUnit, fits, at, used, requested } = fields;
  const view = {
    requirement: requirement && requirementText(requirement as Requirement),
    traits,
    resource_class: resource,
    capacity,
    max_unit: maxUnit,
    fits,
    at: at === undefined ? undefined : dateText(at as number),
    used,
    requested,
  };
  return Object.fromEntries(Object.entries(view).filter(([, value]) => value !== undefined));
}

const holderView = ({ leaseId, slots, startAt, endAt }: Holder, leases: Leases): object => ({
  ...(leases ? { lease_id: leaseId, lease_name: leases.get(leaseId)?.name ?? null } : {}),
  amount: slots,
  start_date: dateText(startAt),
  end_date: dateText(endAt),
});

/** A cause in short, as Blazar's error has it: without the leases in the way. */
export const causeReason = (cause: Cause): string =>
  cause.cause === 'unknown_address'
    ? 'is no reservable floating IP of the network'
    : reasonOf(cause);

/** A cause as a phrase that follows the name of the resource. */
export function causeText(cause: Cause, leases: Leases): string {
  if (!('holders' in cause)) return causeReason(cause);
  const by = leases
    ? ` by ${someOf(
        cause.holders.map((one) => holderText(one, leases)),
        3,
      )}`
    : '';
  switch (cause.cause) {
    case 'reserved':
    case 'reserved_whole':
      return leases
        ? `is reserved${cause.cause === 'reserved' ? '' : ' as a whole'}${by}`
        : `is reserved ${during(cause.holders[0]!)}`;
    case 'conflicting_types':
      return `has reservations of another type${by}`;
    case 'full':
      return (
        `has ${freeText(cause)} at ${dateText(cause.at).slice(0, 16)}` +
        (leases ? `; held${by}` : '')
      );
  }
}

/** What is free of each requested amount that is not free. */
function freeText({
  capacity,
  used,
  requested,
}: {
  readonly capacity: Amounts;
  readonly used: Amounts;
  readonly requested: Amounts;
}): string {
  const short = Object.entries(requested).flatMap(([name, amount]) => {
    const free = Math.max(0, (capacity[name] ?? 0) - (used[name] ?? 0));
    return free < amount ? [`${free} of ${amount} ${name} free`] : [];
  });
  return short.join(' and ');
}

const holderText = (holder: Holder, leases: ReadonlyMap<string, Lease>): string =>
  `lease '${leases.get(holder.leaseId)?.name ?? holder.leaseId}' ${during(holder)}`;

/** A change for programs. The names of hosts are for administrators. */
export const changeView = (change: Change, leases: Leases, namesHosts = true): object => ({
  change: change.change,
  ...(change.change === 'end_lease'
    ? {
        ...(leases
          ? { lease_id: change.leaseId, lease_name: leases.get(change.leaseId)?.name ?? null }
          : {}),
        end_date: dateText(change.endAt),
      }
    : { resource_id: change.id }),
  text: changeText(
    change.change === 'make_reservable' && !namesHosts ? { ...change, name: change.id } : change,
    leases,
  ),
});

/** A change as an imperative sentence without its period. */
export function changeText(change: Change, leases: Leases): string {
  if (change.change === 'make_reservable') return `make ${change.name} reservable`;
  const name = leases && (leases.get(change.leaseId)?.name ?? change.leaseId);
  const until = `releases its resources at ${dateText(change.endAt).slice(0, 16)}`;
  return name === undefined ? `end a lease that ${until}` : `end lease '${name}', which ${until}`;
}

const nounOf = (resourceType: string): string =>
  resourceType === hostType ? 'host' : resourceType === floatingIpType ? 'floating IP' : 'instance';

/** What is asked for: `4 instances from ... to ...`. */
const questionText = ({ resourceType, amount, span }: Question): string =>
  `${counted(amount, nounOf(resourceType))} ${during(span)}`;

/** The lines of an explanation: the nearest resources, and the alternatives. */
export function explanationLines(
  question: Question,
  resources: readonly Resource[],
  { next, largest, changes }: Alternatives,
  leases: Leases,
): string[] {
  const unsuitable = resources.filter(({ causes }) => causes.length);
  const nearest = unsuitable.toSorted((one, other) => one.causes.length - other.causes.length);
  const noun = nounOf(question.resourceType);
  return [
    `${questionText(question)}; ${counted(largest, noun)} would fit`,
    ...nearest
      .slice(0, maxLines)
      .map(
        ({ name, causes }) => `  ${name} ${causes.map((one) => causeText(one, leases)).join('; ')}`,
      ),
    ...(nearest.length > maxLines ? [`  and ${nearest.length - maxLines} more`] : []),
    ...(next ? [`it fits ${during(next)}`] : []),
    ...(changes ?? []).map((one) => `to fit: ${changeText(one, leases)}`),
  ];
}
