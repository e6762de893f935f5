// What a reservation wants: a search for hosts, and how to choose among them.
import { chooseHosts, chooseSlots, type Slots } from './choice.ts';
import type { HostEvaluation } from './evaluations.ts';
import type { Search } from './read.ts';

/**
 * Chooses hosts or slots among evaluated hosts.
 * @param amount the number of slots, or the minimum number of hosts
 * @returns undefined if there are too few
 */
export type Choose = (evaluations: readonly HostEvaluation[], amount: number) => Slots | undefined;

/** What a choice of hosts was for. */
export interface Wanted {
  readonly search: Search;
  /** The lease that the reservation belongs to. */
  readonly ownLease?: string;
  readonly choose: Choose;
  /** The number of slots, or the minimum number of hosts. */
  readonly amount: number;
  /** The number of slots or hosts that an active reservation must keep. */
  readonly kept?: number;
}

/** What a reservation wants that no lease has yet. */
export function wantedBy(search: Search): Wanted {
  const { details } = search;
  if ('min' in details)
    return {
      search,
      amount: details.min,
      choose: (evaluations, min) =>
        chooseHosts(evaluations, { min, max: Math.max(min, details.max) }),
    };
  return {
    search,
    amount: details.amount,
    choose: (evaluations, amount) =>
      chooseSlots(evaluations, { amount, affinity: details.affinity }),
  };
}
