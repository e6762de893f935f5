// `cumulet start --detach`: starts an emulator that goes on in the background.
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isoSeconds, machineNow } from '../../kernel/clock.ts';
import { commandName } from '../../kernel/command-line.ts';
import type { DatabaseUrl } from '../../kernel/db/database.ts';
import { makeFolder } from '../../kernel/db/open.ts';
import { showingProgress } from '../../kernel/user/progress.ts';
import { packageVersion } from '../../kernel/package-root.ts';
import { kernelOptions, type Config } from '../../kernel/settings.ts';
import { userStateFolder } from '../../kernel/user/state-folder.ts';
import { originAt } from '../../emulator/client.ts';
import { greeting, placeOf, type Summary } from '../greeting.ts';
import { beginningOf, fileNameOf, realFolder, writeRecord } from './records.ts';

/** The message of a detached emulator to the process that has started it, once it listens. */
interface Ready {
  readonly ready: Summary;
}

/** Reports to the process that has detached this one, if there is any, that it listens. */
export function reportReady(summary: Summary): void {
  process.send?.({ ready: summary } satisfies Ready);
}

/**
 * Runs the same command in the background, waits until it is ready, and prints its summary.
 * @param words the words of the command line, beginning with `start`
 * @throws Error with what the emulator has reported if it ends before it is ready
 */
export async function startDetached(config: Config, words: readonly string[]): Promise<void> {
  const log = openDetachedLog(config);
  const child = spawnDetached(words, log.fd);
  closeSync(log.fd);
  const giveUp = (): void => void child.kill('SIGTERM');
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, giveUp);
  const summary = await showingProgress('Starting', summaryFrom(child, log));
  child.disconnect();
  child.unref();
  const { database } = config;
  writeRecord({
    origin: summary.origin,
    pid: child.pid!,
    began: beginningOf(child.pid!),
    since: isoSeconds(machineNow()),
    version: packageVersion(),
    state: database.kind === 'memory' ? 'in memory' : placeOf(database),
    folder: database.kind === 'sqlite' ? realFolder(database.folder) : undefined,
    log: log.fileFor(summary.origin),
  });
  const port =
    config.port === kernelOptions.port.default ? '' : ` --port ${new URL(summary.origin).port}`;
  const stop = `${commandName()} stop${port}   (its log: ${commandName()} logs${port})`;
  process.stdout.write(greeting(database, summary, stop));
}

/** The log file of a detached emulator, open for appending. */
interface DetachedLog {
  readonly fd: number;
  /** What this start has written to it so far. */
  read(): string;
  /** Gives it the name for an emulator at this URL. @returns its path */
  fileFor(origin: string): string;
  /** Removes it if no other start uses the same file. */
  discard(): void;
}

/**
 * Opens the log in the folder with the state, or else in the user's folder, by the port. If the
 * port is yet to be chosen, the file gets its name when the emulator listens.
 */
function openDetachedLog({ database, host, port }: Config): DetachedLog {
  const folder = logFolder(database);
  makeFolder(folder);
  const isNamed = database.kind === 'sqlite' || port !== 0;
  const nameFor = (origin: string): string =>
    join(folder, database.kind === 'sqlite' ? 'cumulet.log' : `${fileNameOf(origin)}.log`);
  const file = isNamed
    ? nameFor(originAt(host, port))
    : join(folder, `${process.pid}.starting.log`);
  const fd = openSync(file, 'a', 0o600);
  const { size } = fstatSync(fd);
  return {
    fd,
    read: () => readFileSync(file).subarray(size).toString(),
    fileFor(origin) {
      const named = nameFor(origin);
      if (named !== file) renameSync(file, named);
      return named;
    },
    discard: () => void (isNamed || rmSync(file, { force: true })),
  };
}

const logFolder = (database: DatabaseUrl): string =>
  database.kind === 'sqlite' ? resolve(database.folder) : userStateFolder();

/** The variables of npm by which a process stops when npm ends. A detached one goes on. */
const npmVariables = ['npm_lifecycle_event'];

function spawnDetached(words: readonly string[], log: number): ChildProcess {
  const env = Object.entries(process.env).filter(([name]) => !npmVariables.includes(name));
  return spawn(process.execPath, [...process.execArgv, process.argv[1]!, ...words, '--no-detach'], {
    detached: true,
    windowsHide: true,
    stdio: ['ignore', 'ignore', log, 'ipc'],
    env: Object.fromEntries(env),
  });
}

/** Waits until an emulator listens. @throws Error with its messages if it ends before */
function summaryFrom(child: ChildProcess, log: DetachedLog): Promise<Summary> {
  return new Promise((done, fail) => {
    child.once('message', (message) => done((message as Ready).ready));
    child.once('error', fail);
    child.once('exit', (code, signal) => {
      const text = log.read();
      log.discard();
      fail(new Error(refusalIn(text) ?? `The emulator ended with ${signal ?? code}:\n${text}`));
    });
  });
}

/** The last message of a start that failed; undefined if there is none. */
function refusalIn(text: string): string | undefined {
  const own = /^cumulet: (?!warning: )(.+)$/gm;
  return [...text.matchAll(own)].at(-1)?.[1];
}
