// When services report that they are up.
import { SECOND, type Micros } from '../../../../kernel/clock.ts';

/** How often services report. Upstream: report_interval in conf/service.py. */
const reportInterval = 10 * SECOND;

/** When a service that is up since a time last reported: no service ever misses a report. */
export const lastReport = (since: Micros, now: Micros): Micros =>
  Math.max(Math.min(since, now), Math.floor(now / reportInterval) * reportInterval);
