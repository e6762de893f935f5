// What is known of the emulators that `cumulet start --detach` has started: a file for each, by its
// address, in the user's folder for state.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { makeFolder } from '../../kernel/db/open.ts';
import { isLoopbackHost } from '../../kernel/http/loopback.ts';
import { userStateFolder } from '../../kernel/user/state-folder.ts';

/** A detached emulator. */
export interface DetachedRecord {
  readonly origin: string;
  readonly pid: number;
  /** When the process began: another one may have the same number later. */
  readonly began: string | undefined;
  /** When it was ready. */
  readonly since: string;
  readonly version: string;
  /** Where its state is, without a password. */
  readonly state: string;
  /** The absolute path of the folder with its state; undefined if the state is not in a folder. */
  readonly folder: string | undefined;
  /** Its log file. */
  readonly log: string;
}

/** Which emulator is meant: by the folder with its state, or by its URL. */
export interface Which {
  readonly folder?: string | undefined;
  readonly url: string;
}

/** A name for the files of the emulator at this URL. */
export const fileNameOf = (origin: string): string =>
  new URL(origin).host.replaceAll(/[:[\]]+/g, '-');

const recordFile = ({ origin }: Pick<DetachedRecord, 'origin'>): string =>
  join(userStateFolder(), `${fileNameOf(origin)}.json`);

/** Writes the record of an emulator, in place of an older one with the same address. */
export function writeRecord(record: DetachedRecord): void {
  makeFolder(userStateFolder());
  writeFileSync(recordFile(record), `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 });
}

/** Removes the record of an emulator that has stopped. */
export const removeRecord = (record: DetachedRecord): void =>
  rmSync(recordFile(record), { force: true });

/** The records of all detached emulators, including those of processes that have died. */
export function allRecords(): DetachedRecord[] {
  const folder = userStateFolder();
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => readRecord(join(folder, name)) ?? []);
}

/** @returns undefined for a file that cannot be read, or is not whole */
function readRecord(file: string): DetachedRecord | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as DetachedRecord;
  } catch {
    return undefined;
  }
}

/** The record of an emulator. One that runs takes precedence over one that has died. */
export function findRecord(which: Which): DetachedRecord | undefined {
  const found = allRecords().filter((record) =>
    which.folder === undefined
      ? isSameAddress(record.origin, which.url)
      : record.folder === realFolder(which.folder),
  );
  return found.find(isAlive) ?? found[0];
}

/** The absolute path of a folder, without symbolic links if it exists. */
export const realFolder = (folder: string): string =>
  existsSync(folder) ? realpathSync(folder) : resolve(folder);

/** Whether two URLs name the same port: names of loopback addresses are interchangeable. */
function isSameAddress(one: string, other: string): boolean {
  if (!URL.canParse(one) || !URL.canParse(other)) return false;
  const [a, b] = [new URL(one), new URL(other)];
  return a.port === b.port && (a.hostname === b.hostname || [a, b].every(isLocal));
}

const isLocal = ({ host }: URL): boolean => isLoopbackHost(host);

/** Whether the process of a record still runs. */
export function isAlive({ pid, began }: DetachedRecord): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return process.platform === 'win32' || (began !== undefined && beginningOf(pid) === began);
}

/**
 * When a process began, in a form that differs between processes that had the same number one at a
 * time.
 * @returns undefined if no such process runs, and on Windows, where no quick command reports it
 */
export function beginningOf(pid: number): string | undefined {
  if (process.platform === 'win32') return undefined;
  return process.platform === 'linux' ? beginningOnLinux(pid) : beginningInTable(pid);
}

/** The ticks from the boot until the process began, with the id of the boot. */
function beginningOnLinux(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The fields follow the name of the program, which may contain anything: state is the third
    // field of the line, and the start time the 22nd.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const isZombie = fields[0] === 'Z';
    return isZombie ? undefined : `${fields[19]} after boot ${boot}`;
  } catch {
    return undefined;
  }
}

function beginningInTable(pid: number): string | undefined {
  try {
    const text = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    });
    return text.trim() || undefined;
  } catch {
    return undefined;
  }
}
