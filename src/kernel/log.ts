// The log: lines of JSON on standard error, through pino.
import { pino, type Logger } from 'pino';

export type Log = Logger;

/** The size of the write buffer in bytes. Further lines are lost. */
const bufferSize = 1 << 20;

/**
 * Opens the log, by default on standard error. It writes in batches, so that no request waits;
 * `flushLog` writes the rest. Lines that cannot be written, because the disk is full, stay in the
 * buffer until a later write succeeds.
 */
export function openLog(level: string, fd = 2): Log {
  if (level === 'silent') return pino({ level: 'silent' });
  const destination = pino.destination({ fd, sync: false, minLength: 0, maxLength: bufferSize });
  // Without a listener, a write error would end the process. And at its end, the process would
  // wait forever for the last lines to be written.
  const flushSync = destination.flushSync.bind(destination);
  destination.on('error', () => (destination.flushSync = () => {}));
  destination.on('write', () => (destination.flushSync = flushSync));
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}

/** Writes the lines that are still in memory. */
export function flushLog(log: Log): void {
  log.flush();
}
