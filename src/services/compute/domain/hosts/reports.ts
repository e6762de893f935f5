// Computes when services last reported that they are up.
import { SECOND, type Micros } from '../../../../kernel/clock.ts';

/** The time between two reports of a service. Upstream: report_interval in conf/service.py. */
const reportInterval = 10 * SECOND;

/** The last report of a service that has been up since a time. No service misses a report. */
export const lastReport = (since: Micros, now: Micros): Micros =>
  Math.max(Math.min(since, now), Math.floor(now / reportInterval) * reportInterval);
