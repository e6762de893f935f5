// The lock on a folder of SQLite databases, which one process uses at a time.
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isoSeconds, machineNow } from '../clock.ts';
import type { DatabaseUrl } from './database.ts';
import { isDeadlock, isDiskFull } from './errors.ts';
import { explained, makeFolder } from './open.ts';
import { loadDriver } from './drivers/sqlite-driver.ts';

/** The lock that a process holds. The operating system releases it when the process dies. */
export interface FolderLock {
  /** Tells processes that find the folder locked which port this one listens on. */
  announce(port: number): void;
  release(): void;
}

/** How long to wait for a process that is about to end, in milliseconds. */
const patience = 1_000;

/**
 * Locks the folder of a cloud's SQLite databases, and creates it if necessary. The lock is that of
 * SQLite on a file with an empty table: a process that is killed leaves no lock behind, and no
 * process with the same number is mistaken for it.
 * @returns undefined if the databases are not in a folder, or if the disk is too full for the lock
 * @throws Error with the process that holds it, and the next step
 */
export function lockFolder(at: DatabaseUrl): FolderLock | undefined {
  if (at.kind !== 'sqlite') return undefined;
  const { folder } = at;
  try {
    makeFolder(resolve(folder));
    return acquire(folder);
  } catch (error) {
    if (isDiskFull(error)) return undefined;
    throw isDeadlock(error) ? inUse(folder) : explained(at, error);
  }
}

function acquire(folder: string): FolderLock {
  const file = join(folder, 'emulator.lock');
  closeSync(openSync(file, 'a', 0o600));
  const connection = new (loadDriver().DatabaseSync)(file);
  try {
    connection.exec(`PRAGMA busy_timeout = ${patience}`);
    connection.exec('CREATE TABLE IF NOT EXISTS locked (by_the_open_transaction)');
    connection.exec('BEGIN IMMEDIATE');
  } catch (error) {
    connection.close();
    throw error;
  }
  const since = isoSeconds(machineNow());
  const describe = (port?: number): void =>
    writeFileSync(holderOf(folder), JSON.stringify({ pid: process.pid, port, since }), {
      mode: 0o600,
    });
  describe();
  return {
    announce: describe,
    release: () => connection.close(),
  };
}

/** The file that describes the process that holds the lock. */
const holderOf = (folder: string): string => join(folder, 'emulator.json');

function inUse(folder: string): Error {
  const { pid, port, since } = readHolder(folder);
  const details = [
    ...(pid === undefined ? [] : [`process ${pid}`]),
    ...(port === undefined ? [] : [`port ${port}`]),
    ...(since === undefined ? [] : [`since ${since}`]),
  ].join(', ');
  return new Error(
    `Another emulator uses the folder ${folder}${details && ` (${details})`}. Stop it, or choose ` +
      'another folder with --database sqlite:<folder>. To run several processes on one cloud, use ' +
      '--database mysql://user:password@host:port/name.',
  );
}

interface Holder {
  readonly pid?: number;
  readonly port?: number;
  readonly since?: string;
}

/** An empty description if the file cannot be read, or if it is just being written. */
function readHolder(folder: string): Holder {
  try {
    return JSON.parse(readFileSync(holderOf(folder), 'utf8')) as Holder;
  } catch {
    return {};
  }
}
