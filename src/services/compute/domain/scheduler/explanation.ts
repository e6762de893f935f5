// Explains where the scheduler places a server, and why it finds no host: from the hosts,
// candidates and group members that the decision has read.
import type { Explanation, LostChoice } from '../../../../emulator/explain/model.ts';
import { recordDecision } from '../../../../emulator/explain/record.ts';
import type { Context } from '../../../../kernel/model.ts';
import { counted, someOf } from '../../../../kernel/user/sentences.ts';
import { explainCandidates, type CandidatesDetails } from '../../clients/placement.ts';
import type { Server } from '../../model.ts';
import { membersOnHosts, type PlacedMember } from '../../store/servers/groups.ts';
import type { GroupHosts } from './filter.ts';
import { filters } from './filters.ts';
import type { HostState } from './hosts.ts';
import type { SchedulerRead } from './read.ts';
import { candidateRequestOf, type RequestSpec } from './request-spec.ts';
import { weightParts } from './weighers.ts';

/** How many hosts are listed for each filter, and how many are ranked. */
const maxHosts = 20;

/** How many members of a group are listed. */
const maxMembers = 100;

/** Records that no host is valid for some servers that one request creates or moves. */
export async function recordNoHost(
  context: Context,
  spec: RequestSpec,
  read: SchedulerRead,
  servers: readonly Pick<Server, 'uuid' | 'name'>[],
): Promise<void> {
  // Without any candidate, only Placement knows the reasons. It reads the rows that the search has
  // read, in the same transaction.
  const placement = read.states.length
    ? undefined
    : await explainCandidates(context, candidateRequestOf(spec, undefined), read.withoutCandidates);
  const { group } = spec;
  const groupMembers =
    group && read.states.length ? await membersOnHosts(context.db, group.uuid) : [];
  const outcome = { chosen: undefined, placement, groupMembers };
  const explanation = explanationOf(spec, read, { ...outcome, lost: [] });
  for (const { uuid, name } of servers)
    recordDecision(context, { kind: 'server', subject: uuid, name, outcome: 'failure' }, (lost) =>
      lost.length ? explanationOf(spec, read, { ...outcome, lost }) : explanation,
    );
}

/** Records the host of a server. @param read returns what the decision was based on */
export function recordHost(
  context: Context,
  spec: RequestSpec,
  { server, name, host }: { readonly server: string; readonly name: string; readonly host: string },
  read: () => SchedulerRead,
): void {
  const decision = {
    kind: 'server',
    subject: server,
    name,
    outcome: 'success',
    choice: host,
  } as const;
  recordDecision(context, decision, (lost) =>
    explanationOf(spec, read(), { chosen: host, placement: undefined, groupMembers: [], lost }),
  );
}

interface Outcome {
  /** The host that the scheduler has selected; undefined if no host is valid. */
  readonly chosen: string | undefined;
  /** Why Placement has no candidate; undefined if it has some. */
  readonly placement: Explained | undefined;
  /** The members of the server's group, which may forbid hosts; of a failure only. */
  readonly groupMembers: readonly PlacedMember[];
  /** The hosts that earlier attempts of the transaction selected. */
  readonly lost: readonly LostChoice[];
}

type Explained = Pick<Explanation, 'summary' | 'text' | 'details'>;

function explanationOf(
  spec: RequestSpec,
  { hosts, states, members }: SchedulerRead,
  { chosen, placement, groupMembers, lost }: Outcome,
): Explained {
  const steps = spec.forced ? [] : stepsOf(states, spec, members);
  const passing = steps.length ? steps.at(-1)!.passed : states;
  const ranking = rankingOf(passing, spec);
  const summary =
    chosen === undefined
      ? failureSummary(states, steps, placement)
      : `The server is on ${chosen}, the best of ${counted(passing.length, 'host')} that passed ` +
        'all filters.';
  return {
    summary,
    text: [
      summary,
      ...lost.map(lostText),
      `  ${counted(hosts.length, 'host')}; ${states.length} with an allocation candidate`,
      ...(placement?.text ?? []).map((line) => `  ${line}`),
      ...steps.filter(({ rejected }) => rejected.length).flatMap(stepText),
      ...groupText(groupMembers),
      ...ranking.slice(0, 5).map((one) => `  ${one.host}: weight ${one.weight.toFixed(3)}`),
    ],
    details: {
      hosts: hosts.length,
      candidates: states.length,
      placement: placement?.details ?? null,
      filters: steps.map(({ filter, passed, rejected }) => ({
        filter,
        passed: passed.length,
        rejected: rejected.length,
        hosts: rejected.slice(0, maxHosts),
      })),
      weights: ranking.slice(0, maxHosts),
      group_members: groupMembers.slice(0, maxMembers).map(({ uuid: id, name, host }) => ({
        id,
        name,
        host,
      })),
      lost_claims: lost.map(({ attempt, choice: host }) => ({ attempt, host })),
      selected: chosen ?? null,
    },
  };
}

/** Upstream's scheduler tries the next host; here the whole decision is taken again. */
const lostText = ({ attempt, choice: host }: LostChoice): string =>
  `  attempt ${attempt} selected ${host}, and lost it to another request, which was faster`;

/** A filter with the hosts that it has passed, and those that it has rejected. */
interface Step {
  readonly filter: string;
  readonly passed: readonly HostState[];
  readonly rejected: readonly { readonly host: string; readonly why: string }[];
}

/** The filters in order. Each sees the hosts that the ones before it have passed. */
function stepsOf(states: readonly HostState[], spec: RequestSpec, members: GroupHosts): Step[] {
  let left = states;
  return filters.map((filter) => {
    const passed = left.filter((host) => filter.passes(host, spec, members));
    const rejected = left
      .filter((host) => !passed.includes(host))
      .map((host) => ({ host: host.host, why: filter.why(host, spec, members) }));
    left = passed;
    return { filter: filter.name, passed, rejected };
  });
}

/** The members of the group by name, so that one can be moved or deleted. */
const groupText = (members: readonly PlacedMember[]): string[] =>
  members.length
    ? [`  server group: ${someOf(members.map(({ name, host }) => `${name} on ${host}`))}`]
    : [];

function failureSummary(
  states: readonly HostState[],
  steps: readonly Step[],
  placement: Explained | undefined,
): string {
  if (placement) return `Placement has no candidate: ${causesIn(placement)}`;
  const last = steps.findLast(({ rejected }) => rejected.length);
  if (!last || last.passed.length)
    return `${counted(states.length, 'host')} passed, but others took the resources first.`;
  return (
    `The filter '${last.filter}' rejects the last ` +
    `${counted(last.rejected.length, 'host')}: ${last.rejected[0]!.host} ${last.rejected[0]!.why}.`
  );
}

/** Why provider trees are no candidates; the summary if that is not about trees. */
function causesIn({ summary, details }: Explained): string {
  const { causes, trees } = details as CandidatesDetails;
  const found = causes.map(({ text, count }) => `${text} (${count} of ${trees.total})`);
  return found.length ? `${found.join('; ')}.` : summary;
}

function stepText({ filter, rejected, passed }: Step): string[] {
  const byReason = new Map<string, string[]>();
  for (const { host, why } of rejected) byReason.set(why, [...(byReason.get(why) ?? []), host]);
  return [
    `  ${filter}: ${passed.length} passed, ${rejected.length} rejected`,
    ...[...byReason].slice(0, 5).map(([why, names]) => `    ${someOf(names)}: ${why}`),
  ];
}

/** A host that passed, with its weight and what each weigher adds to that. */
interface Ranked {
  readonly host: string;
  readonly weight: number;
  readonly weighers: Readonly<Record<string, number>>;
}

/** The hosts that passed, best first. */
function rankingOf(passing: readonly HostState[], spec: RequestSpec): Ranked[] {
  const parts = weightParts(passing, spec);
  return passing
    .map(({ host }, index) => {
      const weights = [...parts].map(([name, weight]) => [name, weight[index]!] as const);
      const weight = weights.reduce((sum, [, own]) => sum + own, 0);
      return { host, weight, weighers: Object.fromEntries(weights) };
    })
    .toSorted((one, other) => other.weight - one.weight);
}
