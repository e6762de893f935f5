// The log: lines of JSON on standard error, through pino.
import { pino, type Logger } from 'pino';

export type Log = Logger;

/** Opens the log. Lines are written in batches, so that no request waits for them; `flushLog` writes the rest. */
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
