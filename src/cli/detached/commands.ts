// The commands for emulators in the background: `cumulet status`, `cumulet logs`, `cumulet stop`.
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { Option, type Command } from 'commander';
import {
  addressed,
  callEmulator,
  findEmulator,
  print,
  withAddress,
  type AddressOptions,
  type EmulatorAddress,
} from '../../emulator/client.ts';
import { machineNow, pause, SECOND } from '../../kernel/clock.ts';
import { commandName } from '../../kernel/command-line.ts';
import { allRecords, findRecord, isAlive, removeRecord, type Which } from './records.ts';

type Chosen = Which & EmulatorAddress;

/** The options that choose an emulator. */
type ChoiceOptions = AddressOptions & Pick<Which, 'folder'>;

const withChoice = (command: Command): Command =>
  withAddress(command).addOption(
    new Option(
      '--folder <folder>',
      'folder with the state of an emulator that runs in the background; replaces --url',
    ).helpGroup('Emulator:'),
  );

/** Adds `cumulet status`. */
export function addStatusCommand(program: Command): void {
  withChoice(
    program
      .command('status')
      .description('show whether an emulator runs, where, and since when; exit with 1 if not')
      .option('--json', 'print JSON'),
  ).action((options: ChoiceOptions & { json?: true }) =>
    printStatus(addressed(options), options.json ?? false),
  );
}

/** Adds `cumulet logs`. */
export function addLogsCommand(program: Command): void {
  withChoice(
    program
      .command('logs')
      .description('print the log of an emulator that runs in the background')
      .option('-f, --follow', 'go on with what it logs, until it stops'),
  ).action((options: ChoiceOptions & { follow?: true }) =>
    printLog(addressed(options), options.follow ?? false),
  );
}

/** Adds `cumulet stop`. */
export function addStopCommand(program: Command): void {
  withChoice(
    program.command('stop').description('stop an emulator that runs in the background'),
  ).action((options: ChoiceOptions) => stop(addressed(options)));
}

/** What `cumulet status --json` prints. */
interface Status {
  readonly running: boolean;
  readonly url: string;
  readonly version: string | null;
  /** Of an emulator in the background. */
  readonly state: string | null;
  readonly regions: readonly string[] | null;
  readonly uptime_seconds: number | null;
  readonly pid: number | null;
  readonly log: string | null;
}

async function printStatus(which: Chosen, asJson: boolean): Promise<void> {
  const status = await statusOf(which);
  if (!status.running) process.exitCode = 1;
  if (asJson) print(JSON.stringify(status));
  else process.stdout.write(status.running ? textOf(status) : `${notRunning(which, status)}\n`);
}

/** The status of an emulator, whichever way it was started. */
async function statusOf(which: Chosen): Promise<Status> {
  const record = findRecord(which);
  const alive = record && isAlive(record) ? record : undefined;
  const isUnknown = which.folder !== undefined && record === undefined;
  const meant = record?.origin ?? which.url;
  const found = isUnknown ? undefined : await findEmulator({ ...which, url: meant }, patience);
  const info = found === undefined ? undefined : await infoOf({ ...which, url: found });
  // An emulator in the foreground may have taken the address of one that has died.
  const known = alive ?? (info ? undefined : record);
  const seconds = alive && machineNow() / SECOND - Date.parse(alive.since) / 1000;
  return {
    running: info !== undefined,
    url: found ?? meant,
    version: info?.version ?? known?.version ?? null,
    state: known?.state ?? null,
    regions: info?.regions ?? null,
    uptime_seconds: seconds === undefined ? null : Math.max(0, Math.floor(seconds)),
    pid: alive?.pid ?? null,
    log: known?.log ?? null,
  };
}

type Info = Partial<Pick<Status, 'version' | 'regions'>>;

/** How long an emulator may take to show that it runs, in milliseconds. */
const patience = 10_000;

/** What an emulator reports of itself; nothing if it needs a control token. */
const infoOf = (address: EmulatorAddress): Promise<Info> =>
  callEmulator(address, 'GET', '/info').catch(() => ({})) as Promise<Info>;

function textOf({
  url,
  version,
  state,
  regions,
  uptime_seconds: uptime,
  pid,
  log,
}: Status): string {
  const lines: readonly (readonly [string, string | null])[] = [
    ['Version', version],
    ['State', state],
    ['Regions', regions?.join(', ') ?? null],
    ['Uptime', uptime === null ? null : `${durationText(uptime)} (process ${pid})`],
    ['Log', log],
  ];
  const text = lines.flatMap(([name, value]) =>
    value === null ? [] : `  ${name.padEnd(9)}${value}\n`,
  );
  return `Cumulet runs at ${url}\n${text.join('')}`;
}

/** A duration, such as `1 h 5 min`. */
function durationText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return `${seconds} s`;
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `${minutes} min` : `${hours} h ${minutes % 60} min`;
}

/** Why an emulator is not running, with the next step. */
function notRunning(which: Chosen, { pid, url, log }: Status): string {
  if (pid !== null) return `Process ${pid} runs, but does not answer at ${url}. Its log is ${log}.`;
  if (log !== null)
    return `The emulator at ${url} has ended without 'cumulet stop'. Its log is ${log}.`;
  const place = which.folder === undefined ? `at ${which.url}` : `on the folder ${which.folder}`;
  const others = allRecords().filter(isAlive);
  const next = others.length
    ? `In the background run: ${others.map(({ origin, state }) => `${origin} (${state})`).join(', ')}.`
    : `Start one with '${commandName()} start --detach'.`;
  return `No emulator runs ${place}. ${next}`;
}

/**
 * Stops an emulator, and waits until its process has ended.
 * @throws Error with the next step if the emulator was not started in the background
 */
async function stop(which: Chosen): Promise<void> {
  const record = findRecord(which);
  if (record === undefined || !isAlive(record)) {
    const status = await statusOf(which);
    if (record) removeRecord(record);
    if (status.running)
      throw new Error(
        `The emulator at ${status.url} does not run in the background of this user. Stop it where ` +
          'it was started, for instance with Ctrl-C.',
      );
    print(notRunning(which, status));
    return;
  }
  process.kill(record.pid, 'SIGTERM');
  while (isAlive(record)) await pause(20);
  removeRecord(record);
  print(`Stopped the emulator at ${record.origin} (${record.state}).`);
}

/** How often a log is read when it is followed, in milliseconds. */
const followInterval = 200;

/** Prints a log, and goes on while its emulator runs. @throws Error if there is no such log */
async function printLog(which: Chosen, follow: boolean): Promise<void> {
  const record = findRecord(which);
  if (record === undefined || !existsSync(record.log)) {
    const status = await statusOf(which);
    throw new Error(
      status.running
        ? `The emulator at ${status.url} does not run in the background of this user: it logs to ` +
            'its standard error.'
        : notRunning(which, status),
    );
  }
  const file = openSync(record.log, 'r');
  try {
    let printed = await printFrom(file, 0);
    while (follow && isAlive(record)) {
      await pause(followInterval);
      printed = await printFrom(file, printed);
    }
    if (follow) await printFrom(file, printed);
  } finally {
    closeSync(file);
  }
}

/** Prints a file from a position on. @returns the position after the last byte */
async function printFrom(file: number, start: number): Promise<number> {
  const { size } = fstatSync(file);
  const buffer = Buffer.alloc(1 << 16);
  let at = Math.min(start, size); // a file that has been emptied is printed from its new end
  while (at < size) {
    const read = readSync(file, buffer, 0, buffer.length, at);
    if (read === 0) break;
    at += read;
    await new Promise((resolve) => process.stdout.write(buffer.subarray(0, read), resolve));
  }
  return at;
}
