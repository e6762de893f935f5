// Times as Compute writes them.
import { isoMicros, SECOND, type Micros } from '../../../kernel/clock.ts';

/** `2026-11-20T05:12:54.000000`: without a zone. */
export const naive = (time: Micros): string => isoMicros(time).slice(0, -1);

export const naiveOrNull = (time: Micros | null): string | null => (time === null ? null : naive(time));

/** How often services report that they are alive. Upstream: report_interval in conf/service.py. */
const reportInterval = 10 * SECOND;

/** When a service last reported: none of them ever fails to. */
export const lastReport = (since: Micros, now: Micros): Micros =>
  Math.max(Math.min(since, now), Math.floor(now / reportInterval) * reportInterval);
