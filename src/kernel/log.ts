// The log: one line of JSON a request on standard error, through pino.
import { pino, type Logger } from 'pino';
import type { Call, Reply } from './http/reply.ts';

export type Log = Logger;

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;

/** Opens the log. Lines are written in batches, so that logging does not hold requests up; `flushLog` empties what is left. */
export function openLog(level: string): Log {
  if (level === 'silent') return pino({ level: 'silent' });
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 2, sync: false, minLength: 0 }),
  );
}

/** Writes out what is still in memory. */
export function flushLog(log: Log): void {
  log.flush();
}

/** The line of a request. */
export function logRequest(call: Call, reply: Reply, milliseconds: number): void {
  const { log } = call.cloud;
  if (!log.isLevelEnabled('info')) return;
  const { id, method, prefix, path, region, service, at, caller } = call;
  const line = {
    request: id,
    region: region.name,
    service: service?.card.name,
    version: at?.name,
    user: caller?.userName ?? caller?.userId,
    project: caller?.projectId,
  };
  log.info({ ...line, status: reply.status, ms: Math.round(milliseconds * 100) / 100 }, `${method} ${prefix}${path}`);
}
