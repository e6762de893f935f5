// The log on standard error, through pino: lines of JSON, or short lines for people at a terminal.
import { pino, type DestinationStream, type Logger, type SerializedError } from 'pino';
import { redactText } from './redaction/texts.ts';
import type { Config } from './settings.ts';

export type Log = Logger;

/** The size of the write buffer in bytes. Further lines are lost. */
const bufferSize = 1 << 20;

const standardError = 2;

/**
 * Opens the log, by default on standard error. It writes in batches, so that no request waits;
 * `flushLog` writes the rest. Lines that cannot be written, because the disk is full, stay in the
 * buffer until a later write succeeds.
 */
export function openLog(
  { logLevel: level, logFormat: format }: Pick<Config, 'logLevel' | 'logFormat'>,
  fd = standardError,
): Log {
  if (level === 'silent') return pino({ level: 'silent' });
  const destination = pino.destination({ fd, sync: false, minLength: 0, maxLength: bufferSize });
  // Without a listener, a write error would end the process. And at its end, the process would
  // wait forever for the last lines to be written.
  const flushSync = destination.flushSync.bind(destination);
  destination.on('error', () => (destination.flushSync = () => {}));
  destination.on('write', () => (destination.flushSync = flushSync));
  const isText = format === 'text' || (format === 'auto' && process.stderr.isTTY);
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  return pino(
    { ...options, serializers: { err: shownError } },
    isText ? asText(destination) : destination,
  );
}

/** An error without its statement, in which the drivers of databases write the values of rows. */
function shownError(error: Error): SerializedError {
  const shown = pino.stdSerializers.err(error);
  if (typeof shown !== 'object' || shown === null) return shown;
  delete shown['sql'];
  return { ...shown, message: redactText(shown.message), stack: redactText(shown.stack) };
}

/** A destination that gets lines of JSON, and writes them as text. */
const asText = (
  destination: DestinationStream & { flush(done?: () => void): void },
): DestinationStream & { flush(done?: () => void): void } => ({
  write: (line) => destination.write(`${textOf(line)}\n`),
  flush: (done) => destination.flush(done),
});

/** What every line of the log may have. */
interface LogLine {
  readonly level: number;
  readonly time: string;
  readonly msg?: string;
  /** Of a request. */
  readonly status?: number;
  readonly ms?: number;
  readonly reason?: string;
  readonly err?: { readonly stack?: string };
  readonly [field: string]: unknown;
}

/**
 * A line of the log as text: `GET /image/v2/images 200 3 ms` for a request, with the reason of a
 * refusal; the level, the message and the fields for anything else.
 */
export function textOf(json: string): string {
  const { level, msg = '', status, ms, reason, err, ...rest } = JSON.parse(json) as LogLine;
  if (ms !== undefined) {
    const why = reason ? `  ${reason}` : '';
    return printable(`${msg} ${status || 'dropped'} ${Math.round(ms)} ms${why}`);
  }
  const more = Object.entries(rest)
    .filter(([name]) => name !== 'time')
    .map(([name, value]) => ` ${name}=${JSON.stringify(value)}`);
  const line = printable(`${pino.levels.labels[level] ?? level}: ${msg}${more.join('')}`);
  const stack = err?.stack?.split('\n').map(printable) ?? [];
  return [line, ...stack].join('\n');
}

/** A text that cannot move the cursor of a terminal: messages quote what clients have sent. */
const printable = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ');

/** Writes the lines that are still in memory. */
export function flushLog(log: Log): void {
  log.flush();
}
