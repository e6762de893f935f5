// Finds the process that listens on a port.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * The process that listens on a port, such as `python3 (process 123)`.
 * @returns undefined if it cannot be found: it belongs to another user, or this is not Linux
 */
export function holderOfPort(port: number): string | undefined {
  const sockets = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => listening(table, port));
  if (!sockets.length) return undefined;
  const links = new Set(sockets.map((inode) => `socket:[${inode}]`));
  const pid = list('/proc').find((name) => /^\d+$/.test(name) && hasOpen(name, links));
  return pid === undefined ? undefined : `${read(`/proc/${pid}/comm`).trim()} (process ${pid})`;
}

/** The state of a socket that listens, in the tables of Linux. */
const listenState = '0A';

/** The inodes of the sockets in a table that listen on a port. */
function listening(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return read(table)
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, address = '', , state]) => address.endsWith(suffix) && state === listenState)
    .map((fields) => fields[9]!);
}

const hasOpen = (pid: string, links: ReadonlySet<string>): boolean =>
  list(`/proc/${pid}/fd`).some((fd) => links.has(linkOf(`/proc/${pid}/fd/${fd}`)));

/** A file that cannot be read is empty: processes end, and others belong to another user. */
const read = (file: string): string => orElse(() => readFileSync(file, 'utf8'), '');
const list = (folder: string): readonly string[] => orElse(() => readdirSync(folder), []);
const linkOf = (file: string): string => orElse(() => readlinkSync(file), '');

function orElse<T>(find: () => T, otherwise: T): T {
  try {
    return find();
  } catch {
    return otherwise;
  }
}
