// The log: lines of JSON on standard error, through pino.
import { pino, type Logger } from 'pino';

export type Log = Logger;

/** How many bytes wait to be written at most. What comes on top is lost. */
const mostWaiting = 1 << 20;

/**
 * Opens the log, on standard error where no file descriptor is given. Lines are written in batches,
 * so that no request waits for them; `flushLog` writes the rest. Where they cannot be written,
 * because the disk is full, they wait for the next line that can be.
 */
export function openLog(level: string, fd = 2): Log {
  if (level === 'silent') return pino({ level: 'silent' });
  const destination = pino.destination({ fd, sync: false, minLength: 0, maxLength: mostWaiting });
  // Without a listener the error would end the process. And its end would wait for the last lines
  // to be written, for ever.
  const flushSync = destination.flushSync.bind(destination);
  destination.on('error', () => (destination.flushSync = () => {}));
  destination.on('write', () => (destination.flushSync = flushSync));
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}

/** Writes out what is still in memory. */
export function flushLog(log: Log): void {
  log.flush();
}
