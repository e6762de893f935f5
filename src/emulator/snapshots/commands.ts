// The commands for the state of a running emulator: snapshots, export, import.
import { createReadStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { asked, type Reach } from '../../cli/commands.ts';

const pathOf = (name: string): string => `/snapshots/${encodeURIComponent(name)}`;

/**
 * Takes a snapshot, in the place of any that has the name.
 * @throws Error with the next step where it cannot be
 */
export async function saveSnapshot(name: string, reach: Reach): Promise<void> {
  await asked(reach, pathOf(name), { method: 'PUT' });
}

/** Makes the emulator what it was when the snapshot was taken. @throws Error as `saveSnapshot` */
export async function restoreSnapshot(name: string, reach: Reach): Promise<void> {
  await asked(reach, `${pathOf(name)}/restore`, { method: 'POST' });
}

/** @throws Error as `saveSnapshot` */
export async function dropSnapshot(name: string, reach: Reach): Promise<void> {
  await asked(reach, pathOf(name), { method: 'DELETE' });
}

interface ShownSnapshot {
  readonly name: string;
  readonly created_at: string;
  readonly now: string;
  readonly regions: readonly string[];
  readonly size: number;
}

/** Prints the snapshots, one a line. @throws Error as `saveSnapshot` */
export async function listSnapshots(reach: Reach): Promise<void> {
  const { snapshots } = (await (await asked(reach, '/snapshots', {})).json()) as {
    snapshots: ShownSnapshot[];
  };
  for (const { name, created_at: created, now, regions, size } of snapshots)
    process.stdout.write(
      `${name}  taken ${seconds(created)}, at ${seconds(now)} by its clock  ${regions.join(',')}  ${Math.ceil(size / 1024)} KiB\n`,
    );
}

const seconds = (time: string): string => time.replace(/\.\d+Z$/, 'Z');

/** What is exported: all that the emulator holds now, or a snapshot. */
export interface ExportOptions extends Reach {
  readonly snapshot?: string | undefined;
}

/**
 * Writes all that the emulator holds, or a snapshot, to a file for its owner only, or else to
 * standard output. A file that was there stays as it is until the new one is whole.
 * @throws Error as `saveSnapshot`
 */
export async function exportTo(
  file: string | undefined,
  { snapshot, ...reach }: ExportOptions,
): Promise<void> {
  const { body } = await asked(
    reach,
    `/export${snapshot === undefined ? '' : `?snapshot=${encodeURIComponent(snapshot)}`}`,
    {},
  );
  const document = Readable.fromWeb(body as ReadableStream);
  const broken = ({ code, message }: NodeJS.ErrnoException): never => {
    if (code === 'ENOSPC') throw new Error(`${file} cannot be written: ${message}.`);
    throw new Error(`The document broke off. Is the emulator at ${reach.url} still there?`);
  };
  if (file === undefined || file === '-') {
    return pipeline(document, process.stdout, { end: false }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EPIPE') broken(error); // a reader such as `head` has seen enough
      },
    );
  }
  const part = `${file}.part`;
  await rm(part, { force: true });
  const handle = await open(part, 'wx', 0o600).catch((error: Error) => {
    throw new Error(`${file} cannot be written: ${error.message}.`);
  });
  try {
    await pipeline(document, handle.createWriteStream()).catch(broken);
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** Makes the emulator what the file says. @throws Error as `saveSnapshot` */
export async function importFrom(file: string, reach: Reach): Promise<void> {
  if (file !== '-' && !(await stat(file).catch(() => undefined))?.isFile())
    throw new Error(`There is no file ${file}. 'cumulet export ${file}' writes one.`);
  const document = file === '-' ? process.stdin : createReadStream(file);
  const body = Readable.toWeb(document) as unknown as NonNullable<RequestInit['body']>;
  const headers = { 'content-type': 'application/x-ndjson' };
  await asked(reach, '/import', { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
}
