// Emulators as processes of their own, for what one process cannot show.
import { spawn, type ChildProcess } from 'node:child_process';

export interface Emulator {
  readonly origin: string;
  readonly child: ChildProcess;
  stop(): Promise<number | null>;
}

/** Starts an emulator with these flags on a free port. @throws Error with what it said where it ends before it listens */
export async function startEmulator(flags: readonly string[]): Promise<Emulator> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', 'src/main.ts', 'start', '--port', '0', '--log-level', 'error', ...flags],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const origin = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const found = /listens at (\S+)/.exec(said);
      if (found) resolve(found[1]!);
    });
    void ended.then((code) => reject(new Error(`The emulator ended with ${code}: ${said}`)));
  });
  return {
    origin,
    child,
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}
