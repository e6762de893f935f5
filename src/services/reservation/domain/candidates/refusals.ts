// The errors if hosts do not have enough room for a reservation.
import { conflict, type ApiError } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { RefusedReservation } from '../refusals.ts';
import { countReasons, type HostEvaluation, type Reason } from './evaluations.ts';
import { hostQuestion } from './question.ts';
import type { Wanted } from './wanted.ts';

/** Blazar's error for too few hosts. The reasons, with their numbers of hosts, are an addition. */
export class NotEnoughHosts extends RefusedReservation {
  readonly reasons: readonly Reason[];
  constructor(evaluations: readonly HostEvaluation[], wanted: Wanted) {
    super(500, 'Not enough hosts available', 'reservation.not_enough_hosts', hostRefusal(wanted));
    this.reasons = countReasons(evaluations).slice(0, 20);
  }
}

/** The error if a choice fails. */
export const notEnoughHosts = (
  evaluations: readonly HostEvaluation[],
  wanted: Wanted,
): RefusedReservation =>
  evaluations.some(({ cause }) => cause?.cause === 'conflicting_types')
    ? refusedHosts(conflict('Conflicting reservation types found'), wanted)
    : new NotEnoughHosts(evaluations, wanted);

/** An error that a choice of hosts leads to, with what the choice was for. */
export const refusedHosts = ({ status, message, code }: ApiError, wanted: Wanted) =>
  new RefusedReservation(status, message, code, hostRefusal(wanted));

const hostRefusal = (wanted: Wanted) => ({
  refused: 'resources' as const,
  ask: (context: Context) => hostQuestion(context, wanted),
});
