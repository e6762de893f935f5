// The log on standard error, through pino: lines of JSON, or short lines for people at a terminal.
import { pino, type DestinationStream, type Logger, type SerializedError } from 'pino';
import { localTime } from './clock.ts';
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
    isText ? asText(destination, hasColour(process.env, process.stderr.isTTY)) : destination,
  );
}

/** An error without its statement, in which the drivers of databases write the values of rows. */
function shownError(error: Error): SerializedError {
  const shown = pino.stdSerializers.err(error);
  if (typeof shown !== 'object' || shown === null) return shown;
  delete shown['sql'];
  return { ...shown, message: redactText(shown.message), stack: redactText(shown.stack) };
}

/** Whether text is coloured: on a terminal, unless NO_COLOR is set (https://no-color.org). */
export const hasColour = (
  env: Readonly<Record<string, string | undefined>>,
  onTerminal: boolean,
): boolean => onTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb';

/** A destination that gets lines of JSON, and writes them as text. */
const asText = (
  destination: DestinationStream & { flush(done?: () => void): void },
  inColour: boolean,
): DestinationStream & { flush(done?: () => void): void } => ({
  write: (line) => destination.write(`${textOf(line, inColour)}\n`),
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
  /** The name of the user who sent it. */
  readonly user?: string;
  readonly err?: { readonly stack?: string };
  readonly [field: string]: unknown;
}

/**
 * A line of the log as text: `12:00:00 GET /image/v2/images 200 3 ms admin` for a request, with the
 * reason of a refusal; the level, the message and the fields for anything else.
 */
export function textOf(json: string, inColour = false): string {
  const { level, time, msg = '', status, ms, reason, err, ...rest } = JSON.parse(json) as LogLine;
  const paint = (colour: Colour, text: string): string =>
    inColour ? `\u001B[${colours[colour]}m${text}\u001B[0m` : text;
  const start = paint('grey', localTime(time));
  if (ms !== undefined) {
    const outcome = paint(colourOf(status), String(status || 'dropped'));
    const user = rest.user === undefined ? '' : ` ${printable(rest.user)}`;
    const why = reason ? `  ${printable(reason)}` : '';
    return `${start} ${printable(msg)} ${outcome} ${Math.round(ms)} ms${user}${why}`;
  }
  const more = Object.entries(rest).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`);
  const label = pino.levels.labels[level] ?? String(level);
  const shown = level < pino.levels.values['warn']! ? label : paint('yellow', label);
  const line = `${start} ${shown}: ${printable(`${msg}${more.join('')}`)}`;
  const stack = err?.stack?.split('\n').map(printable) ?? [];
  return [line, ...stack].join('\n');
}

/** The colours of a terminal that lines have, by the parameter of the escape sequence. */
const colours = { red: 31, green: 32, yellow: 33, grey: 90 } as const;

type Colour = keyof typeof colours;

/** The colour of a request with this status: 0 for a reply that was dropped. */
function colourOf(status = 0): Colour {
  if (status === 0 || status >= 500) return 'red';
  return status >= 400 ? 'yellow' : 'green';
}

/** A text that cannot move the cursor of a terminal: messages quote what clients have sent. */
const printable = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ');

/** Writes the lines that are still in memory. */
export function flushLog(log: Log): void {
  log.flush();
}
