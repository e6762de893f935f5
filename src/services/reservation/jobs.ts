// What happens to leases at their times, and what is looked after in between.
import type { Jobs } from '../../kernel/model.ts';
import { announceEnd, continueRemoval, endLease, startLease } from './domain/leases/run.ts';
import { watchHosts } from './domain/healing.ts';

export const reservationJobs: Jobs = {
  'reservation.start_lease': (context, { subject }) => startLease(context, subject),
  'reservation.before_end_lease': (context, { subject }) => announceEnd(context, subject),
  'reservation.end_lease': (context, { subject }) => endLease(context, subject),
  'reservation.delete_lease': (context, { subject }) => continueRemoval(context, subject),
  'reservation.watch_hosts': (context) => watchHosts(context),
};
