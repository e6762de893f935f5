// The commands for the state of a running emulator: snapshots, export and import.
import { createReadStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { Command } from 'commander';
import { commandName } from '../../kernel/command-line.ts';
import {
  addressed,
  callEmulator,
  fetchFromEmulator,
  print,
  printJson,
  withAddress,
  withJson,
  type AddressOptions,
  type EmulatorAddress,
  type JsonOption,
} from '../client.ts';

/** Adds `cumulet snapshot`, `cumulet export` and `cumulet import`. */
export function addSnapshotCommands(program: Command): void {
  const snapshot = program.command('snapshot').description('save and restore named snapshots');
  const named = (name: string, description: string): Command =>
    snapshot.command(name).description(description).argument('<name>', 'name of the snapshot');
  withAddress(
    withJson(
      named('save', 'save the current state (overwrites an existing snapshot of that name)'),
    ),
  ).action((name: string, options: JsonOption & AddressOptions) =>
    saveSnapshot(name, addressed(options)),
  );
  withAddress(named('restore', 'return to a snapshot, including its regions and its clock')).action(
    (name: string, options: AddressOptions) => restoreSnapshot(name, addressed(options)),
  );
  withAddress(withJson(snapshot.command('list').description('list the snapshots'))).action(
    (options: JsonOption & AddressOptions) => listSnapshots(addressed(options)),
  );
  withAddress(named('drop', 'delete a snapshot')).action((name: string, options: AddressOptions) =>
    dropSnapshot(name, addressed(options)),
  );
  withAddress(
    program
      .command('export')
      .description('write the state of a running emulator to a file, including secret keys')
      .argument('[file]', 'file to write (default: standard output)')
      .option('--snapshot <name>', 'write this snapshot instead of the current state'),
  ).action((file: string | undefined, options: { snapshot?: string } & AddressOptions) =>
    exportTo(file, addressed(options)),
  );
  withAddress(
    program
      .command('import')
      .description('replace the state of a running emulator with an exported file')
      .argument('<file>', 'file to read; - for standard input')
      .option('--allow-inconsistent', 'import rows that refer to missing resources, too'),
  ).action((file: string, options: { allowInconsistent?: boolean } & AddressOptions) =>
    importFrom(file, addressed(options)),
  );
}

const pathOf = (name: string): string => `/snapshots/${encodeURIComponent(name)}`;

/**
 * Saves a snapshot; one of the same name is overwritten. It prints only JSON, and only if asked to.
 * @throws Error as `callEmulator`
 */
export async function saveSnapshot(
  name: string,
  { json = false, ...address }: EmulatorAddress & JsonOption,
): Promise<void> {
  const { snapshot } = (await callEmulator(address, 'PUT', pathOf(name))) as {
    snapshot: ShownSnapshot;
  };
  if (json) printJson(snapshot);
}

/** Returns the emulator to a snapshot. @throws Error as `callEmulator` */
export async function restoreSnapshot(name: string, address: EmulatorAddress): Promise<void> {
  await fetchFromEmulator(address, `${pathOf(name)}/restore`, { method: 'POST' });
}

/** Deletes a snapshot. @throws Error as `callEmulator` */
export async function dropSnapshot(name: string, address: EmulatorAddress): Promise<void> {
  await fetchFromEmulator(address, pathOf(name), { method: 'DELETE' });
}

interface ShownSnapshot {
  readonly name: string;
  readonly created_at: string;
  readonly now: string;
  readonly regions: readonly string[];
  readonly size: number;
}

/** Prints the snapshots, one on each line. @throws Error as `callEmulator` */
export async function listSnapshots({
  json = false,
  ...address
}: EmulatorAddress & JsonOption): Promise<void> {
  const { snapshots } = (await (await fetchFromEmulator(address, '/snapshots', {})).json()) as {
    snapshots: ShownSnapshot[];
  };
  if (json) return printJson(snapshots);
  for (const { name, created_at: created, now, regions, size } of snapshots)
    print(
      `${name}  taken ${seconds(created)}, at ${seconds(now)} by its clock  ` +
        `${regions.join(',')}  ${Math.ceil(size / 1024)} KiB`,
    );
}

const seconds = (time: string): string => time.replace(/\.\d+Z$/, 'Z');

/** What to export: a snapshot, or without a name the current state. */
export interface ExportOptions extends EmulatorAddress {
  readonly snapshot?: string | undefined;
}

/**
 * Writes the current state or a snapshot to a file that only its owner can read, or without a file
 * to standard output. An existing file is replaced only once the new one is complete.
 * @throws Error as `callEmulator`, and if the file cannot be written
 */
export async function exportTo(
  file: string | undefined,
  { snapshot, ...address }: ExportOptions,
): Promise<void> {
  const { body } = await fetchFromEmulator(
    address,
    `/export${snapshot === undefined ? '' : `?snapshot=${encodeURIComponent(snapshot)}`}`,
    {},
  );
  const document = Readable.fromWeb(body as ReadableStream);
  const broken = ({ code, message }: NodeJS.ErrnoException): never => {
    if (code === 'ENOSPC') throw new Error(`${file} cannot be written: ${message}.`);
    throw new Error(`The document broke off. Is the emulator at ${address.url} still there?`);
  };
  if (file === undefined || file === '-') {
    return pipeline(document, process.stdout, { end: false }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EPIPE') broken(error); // a reader such as `head` has closed the pipe
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

/** What to import. */
export interface ImportOptions extends EmulatorAddress {
  readonly allowInconsistent?: boolean | undefined;
}

/** Replaces the state of the emulator with that of a file. @throws Error as `callEmulator` */
export async function importFrom(
  file: string,
  { allowInconsistent = false, ...address }: ImportOptions,
): Promise<void> {
  if (file !== '-' && !(await stat(file).catch(() => undefined))?.isFile())
    throw new Error(`There is no file ${file}. '${commandName()} export ${file}' writes one.`);
  const document = file === '-' ? process.stdin : createReadStream(file);
  const body = Readable.toWeb(document) as unknown as NonNullable<RequestInit['body']>;
  const headers = { 'content-type': 'application/x-ndjson' };
  const query = allowInconsistent ? '?allow_inconsistent=true' : '';
  await fetchFromEmulator(address, `/import${query}`, {
    method: 'POST',
    headers,
    body,
    duplex: 'half',
  } as RequestInit);
}
