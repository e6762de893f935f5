// The load generator wrk, for reads: a process of Node takes as much CPU time to send one as
// Cumulet takes to answer it.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const program = '/usr/bin/wrk';

/** Whether wrk is installed. */
export const hasWrk = existsSync(program);

/** Reads to repeat. */
export interface Reads {
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The paths, which the requests name in turn. */
  readonly paths: readonly string[];
  readonly connections: number;
  readonly seconds: number;
}

/**
 * Repeats reads.
 * @returns requests per second
 * @throws Error if a reply has another status than 2xx or 3xx
 */
export async function readsPerSecond(reads: Reads): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-wrk-'));
  const script = join(folder, 'reads.lua');
  writeFileSync(script, scriptFor(reads));
  try {
    const { stdout } = await run(program, [
      '--threads=1',
      `--connections=${reads.connections}`,
      `--duration=${reads.seconds}s`,
      `--script=${script}`,
      reads.origin,
    ]);
    const refused = /Non-2xx.*/.exec(stdout);
    if (refused) throw new Error(`${reads.paths[0]}: ${refused[0]}`);
    return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)![1]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const scriptFor = ({ headers, paths }: Reads): string =>
  [
    `local paths = {${paths.map((path) => JSON.stringify(path)).join(', ')}}`,
    'local sent = 0',
    ...Object.entries(headers).map(
      ([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`,
    ),
    'function request()',
    '  sent = sent + 1',
    `  return wrk.format("GET", paths[sent % ${paths.length} + 1])`,
    'end',
  ].join('\n');
