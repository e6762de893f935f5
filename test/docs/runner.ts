// Runs the shell blocks of a page unchanged, and starts the emulators that they need.
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { packageRoot } from '../../src/kernel/package-root.ts';
import { startEmulator, type Emulator } from '../support/processes.ts';
import { missingLine } from './output.ts';
import type { Block, Page } from './pages.ts';

/** How a block went. */
export interface Outcome {
  readonly block: Block;
  readonly skipped?: string;
  readonly failure?: string;
}

/** The folder of `npm run pack:all`, from the folder that contains the clone. */
const packages = 'cumulet/dist-packages';

/** The port of a command that names none. */
const usualPort = '6060';

/** Runs pages in a folder of its own, where a page can be run more than once. */
export class PageRunner {
  readonly #home = mkdtempSync(join(tmpdir(), 'cumulet-docs-'));
  /** Running emulators by the port that the page gives them. */
  readonly #emulators = new Map<string, Emulator>();
  #shell: Shell | undefined;

  /** `openstack` is the command line that runs the OpenStack client. */
  constructor(openstack = '/usr/bin/openstack') {
    mkdirSync(this.#workFolder);
    writeCommands(this.#commandFolder, openstack);
  }

  get #workFolder(): string {
    return join(this.#home, 'work');
  }

  get #commandFolder(): string {
    return join(this.#home, 'bin');
  }

  /** Runs a page in a new shell, up to the first failing block. Files of earlier runs remain. */
  async run({ blocks }: Page): Promise<Outcome[]> {
    await this.#end();
    if (blocks.some(({ code, notRun }) => notRun === undefined && code.includes(packages)))
      this.#writePackages();
    const outcomes: Outcome[] = [];
    for (const block of blocks) {
      const skipped = block.notRun ?? block.pending ?? this.#missing(block);
      const failure = skipped === undefined ? await this.#runBlock(block) : undefined;
      outcomes.push({
        block,
        ...(skipped === undefined ? {} : { skipped }),
        ...(failure === undefined ? {} : { failure }),
      });
      if (failure !== undefined) break;
    }
    await this.#end();
    return outcomes;
  }

  /** Stops what still runs, and removes the folder. */
  async close(): Promise<void> {
    await this.#end();
    rmSync(this.#home, { recursive: true, force: true });
  }

  /** Writes the packages where a page finds them: in a clone beside its folder. */
  #writePackages(): void {
    const folder = join(this.#home, packages);
    if (existsSync(folder)) return;
    execFileSync(process.execPath, ['pack.mjs', folder], { cwd: packageRoot(), stdio: 'ignore' });
    const clients = join(packageRoot(), 'clients');
    cpSync(clients, join(this.#home, 'cumulet', 'clients'), { recursive: true });
  }

  /** The command with which a block checks for its tool, if that fails. */
  #missing({ needs }: Block): string | undefined {
    if (needs === undefined) return undefined;
    const env = { ...process.env, PATH: `/usr/bin:${process.env['PATH']}` };
    return spawnSync('sh', ['-c', needs], { env }).status === 0 ? undefined : `needs ${needs}`;
  }

  async #runBlock(block: Block): Promise<string | undefined> {
    const start = /^(?:npm ci && )?npm start(?: -- (.+))?$/.exec(withoutComment(block.code));
    if (start) return this.#start((start[1] ?? '').split(/\s+/).filter(Boolean));
    if (/^(?:npm ci && )?npm test$/.test(block.code)) return undefined; // avoids recursion
    if (!this.#emulators.size) await this.#start([]);
    const usual = this.#emulators.get(usualPort) ?? [...this.#emulators.values()][0]!;
    this.#shell ??= new Shell(this.#workFolder, this.#commandFolder, this.#home);
    const { output, failed } = await this.#shell.run(
      this.#withOrigins(block.code),
      new URL(usual.origin).port,
    );
    const report = `${block.code}\n--- output:\n${output}`;
    if (failed.length !== block.fails)
      return `${block.fails} commands must fail, and these did: ${failed.join('; ')}\n${report}`;
    const missing = block.output === undefined ? undefined : missingLine(block.output, output);
    return missing === undefined
      ? undefined
      : `this line of the output is missing: ${missing}\n${report}`;
  }

  async #start(flags: readonly string[]): Promise<undefined> {
    const { port, database, others } = flagsOf(flags);
    await this.#emulators.get(port)?.stop();
    const emulator = await startEmulator([
      ...others.map((one) => this.#withOrigins(one)),
      '--database',
      this.#inFolder(database),
    ]);
    this.#emulators.set(port, emulator);
    return undefined;
  }

  /** The database, with a relative SQLite folder inside the folder of the page. */
  #inFolder(database: string): string {
    const folder = /^sqlite:(.+)$/.exec(database)?.[1];
    return folder === undefined || isAbsolute(folder)
      ? database
      : `sqlite:${join(this.#workFolder, folder)}`;
  }

  #withOrigins(text: string): string {
    return text.replaceAll(
      /http:\/\/127\.0\.0\.1:(\d+)/g,
      (url, port: string) => this.#emulators.get(port)?.origin ?? url,
    );
  }

  async #end(): Promise<void> {
    this.#shell?.end();
    this.#shell = undefined;
    for (const emulator of this.#emulators.values()) await emulator.stop();
    this.#emulators.clear();
  }
}

const withoutComment = (code: string): string => code.replace(/\s+#.*$/, '').trim();

/** Splits the flags of a start: the runner replaces the port and the database. */
function flagsOf(flags: readonly string[]): { port: string; database: string; others: string[] } {
  const valueOf = (flag: string): string | undefined =>
    flags.includes(flag) ? flags[flags.indexOf(flag) + 1] : undefined;
  const chosen = new Set(
    ['--port', '--database']
      .filter((flag) => flags.includes(flag))
      .map((flag) => flags.indexOf(flag)),
  );
  const others = flags.filter((_, at) => !chosen.has(at) && !chosen.has(at - 1));
  return {
    port: valueOf('--port') ?? usualPort,
    database: valueOf('--database') ?? 'sqlite:.cumulet',
    others,
  };
}

/**
 * Writes commands that precede those on PATH: `cumulet` and `npx cumulet` from this checkout,
 * `openstack`, and a curl that fails when the status is an error.
 */
function writeCommands(folder: string, openstack: string): void {
  mkdirSync(folder);
  const main = join(packageRoot(), 'dist', 'main.js');
  const cumulet = `exec '${process.execPath}' '${main}' "$@"\n`;
  const commands = {
    cumulet,
    npx: `[ "$1" = cumulet ] || PATH="\${PATH#*:}" exec npx --no-install "$@"\nshift\n${cumulet}`,
    openstack: `exec ${openstack} "$@"\n`,
    curl: 'exec /usr/bin/curl --fail-with-body "$@"\n',
  };
  for (const [name, script] of Object.entries(commands)) {
    writeFileSync(join(folder, name), `#!/bin/bash\n${script}`);
    chmodSync(join(folder, name), 0o755);
  }
}

/** A bash that keeps its variables from block to block. */
class Shell {
  readonly #child: ChildProcess;
  readonly #folder: string;
  #blocks = 0;

  constructor(workFolder: string, commandFolder: string, folder: string) {
    this.#folder = folder;
    const kept = Object.entries(process.env).filter(
      ([name]) => !/^(OS_|CUMULET_|npm_)|_proxy$/i.test(name),
    );
    const env = {
      ...Object.fromEntries(kept),
      PATH: `${commandFolder}:/usr/bin:${process.env['PATH']}`,
      HOME: folder,
      LC_ALL: 'C.UTF-8',
    };
    this.#child = spawn('bash', ['--noprofile', '--norc'], {
      cwd: workFolder,
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#child.stdin!.write('set -o pipefail\n');
  }

  /** Runs commands. @returns their output, and the commands that failed */
  async run(code: string, port: string): Promise<{ output: string; failed: string[] }> {
    const file = join(this.#folder, `block-${++this.#blocks}`);
    writeFileSync(`${file}.sh`, `${code}\n:\n`);
    writeFileSync(`${file}.failed`, '');
    const done = new Promise<void>((resolve, reject) => {
      const ended = (): void => reject(new Error(`The shell ended in:\n${code}`));
      this.#child.once('exit', ended);
      this.#child.stdout!.once('data', () => {
        this.#child.off('exit', ended);
        resolve();
      });
    });
    this.#child.stdin!.write(
      `export CUMULET_PORT=${port}\n` +
        `trap 'echo "$BASH_COMMAND (exit code $?)" >> ${file}.failed' ERR\n` +
        `. ${file}.sh </dev/null >${file}.out 2>&1\ntrap - ERR; echo done\n`,
    );
    await done;
    const read = (name: string): string => (existsSync(name) ? readFileSync(name, 'utf8') : '');
    return {
      output: read(`${file}.out`),
      failed: read(`${file}.failed`).split('\n').filter(Boolean),
    };
  }

  end(): void {
    this.#child.removeAllListeners('exit');
    this.#child.kill();
  }
}
