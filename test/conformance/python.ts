// Runs upstream's code in a Python process of Debian, which answers one question a line.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** The arguments of `spawn` for a command of this system, or of the Debian in CUMULET_BENCH_DEBIAN. */
function within(command: string, args: readonly string[]): [string, string[]] {
  const debian = process.env['CUMULET_BENCH_DEBIAN'];
  return debian === undefined
    ? [`/usr/bin/${command}`, [...args]]
    : ['chroot', [debian, command, ...args]];
}

/** The version of a Python module's Debian package. */
export const debianVersion = (name: string): string =>
  spawnSync(...within('dpkg-query', ['-W', '-f', '${Package} ${Version}', name]), {
    encoding: 'utf8',
  }).stdout.trim();

export class PythonProcess {
  private readonly child: ChildProcess;
  private readonly lines: AsyncIterator<string>;

  private constructor(child: ChildProcess) {
    this.child = child;
    this.lines = createInterface(child.stdout!)[Symbol.asyncIterator]();
  }

  /** @returns undefined if the Python module that the script needs is not installed */
  static start(script: URL, needed: string): PythonProcess | undefined {
    if (spawnSync(...within('python3', ['-c', `import ${needed}`])).status !== 0) return undefined;
    const source = readFileSync(script, 'utf8');
    return new PythonProcess(
      spawn(...within('python3', ['-c', source]), { stdio: ['pipe', 'pipe', 'ignore'] }),
    );
  }

  /** Sends a question, and returns the answer. Questions must not overlap. */
  async ask(question: object): Promise<unknown> {
    this.child.stdin!.write(`${JSON.stringify(question)}\n`);
    const { value, done } = await this.lines.next();
    if (done) throw new Error("The process with upstream's code has ended.");
    return JSON.parse(value) as unknown;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.stdin!.end();
    await ended;
  }
}
