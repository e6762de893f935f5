// What happens to leases at their times, and what is looked after in between.
import type { Jobs } from '../../kernel/model.ts';
import { announceEnd, continueRemoval, endLease, startLease } from './domain/leases/run.ts';
import { watchHosts } from './domain/healing.ts';

export const reservationJobs: Jobs = {
  'reservation.start_lease': (work, { subject }) => startLease(work, subject),
  'reservation.before_end_lease': (work, { subject }) => announceEnd(work, subject),
  'reservation.end_lease': (work, { subject }) => endLease(work, subject),
  'reservation.delete_lease': (work, { subject }) => continueRemoval(work, subject),
  'reservation.watch_hosts': (work) => watchHosts(work),
};
