// The jobs of Reservation: the events of leases, and the monitoring of hosts.
import type { Jobs } from '../../kernel/model.ts';
import { runBeforeEnd, continueDeletion, endLease, startLease } from './domain/leases/lifecycle.ts';
import { watchHosts } from './domain/healing.ts';

export const reservationJobs: Jobs = {
  'reservation.start_lease': (context, { subject }) => startLease(context, subject),
  'reservation.before_end_lease': (context, { subject }) => runBeforeEnd(context, subject),
  'reservation.end_lease': (context, { subject }) => endLease(context, subject),
  'reservation.delete_lease': (context, { subject }) => continueDeletion(context, subject),
  'reservation.watch_hosts': { round: watchHosts },
};
