// The command `cumulet exec`: runs another command against an emulator of its own.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { clientEnvironment, cloudsYaml } from '../emulator/client-configuration/configuration.ts';
import { regionNames } from '../kernel/regions.ts';
import type { Config } from '../kernel/settings.ts';
import { configFrom, withServerOptions, type InitialValues } from './config.ts';
import { run } from './server.ts';

const initial: InitialValues = {
  port: '0',
  database: 'memory:',
  logLevel: 'warn',
  journal: '1000',
};

/** Adds `cumulet exec`. */
export function addExecCommand(program: Command): void {
  const command = program
    .command('exec')
    .description('run a command against a new emulator in memory, and exit with its exit code')
    .argument('<command...>', 'the command and its arguments, after --');
  withServerOptions(command, initial)
    .passThroughOptions()
    .action((words: string[], options: Record<string, unknown>) =>
      exec(configFrom(options), words),
    );
}

/**
 * Starts an emulator, runs a command with the variables that it needs to sign in, and exits with
 * the exit code of the command.
 */
async function exec(config: Config, command: readonly string[]): Promise<void> {
  const running = await run(config);
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-'));
  try {
    const client = {
      origin: running.origin,
      regions: regionNames(running.cloud),
      password: config.adminPassword,
    };
    const file = join(folder, 'clouds.yaml');
    writeFileSync(file, cloudsYaml(client), { mode: 0o600 });
    const variables = {
      ...clientEnvironment(client),
      OS_CLIENT_CONFIG_FILE: file,
      CUMULET_URL: running.origin,
    };
    process.exitCode = await runChild(command, variables);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await running.stop();
  }
}

/** Runs a command. @returns its exit code @throws Error with the next step if it cannot start */
function runChild(
  [file = '', ...args]: readonly string[],
  variables: Record<string, string>,
): Promise<number> {
  // OS_* variables that are meant for another cloud would interfere.
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('OS_'));
  const child = spawn(file, args, {
    stdio: 'inherit',
    env: { ...Object.fromEntries(inherited), ...variables },
  });
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, pass);
  return new Promise((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new Error(
          error.code === 'ENOENT'
            ? `Command '${file}' not found. Install it, or add its folder to PATH.`
            : error.message,
        ),
      ),
    );
    child.once('exit', (code, signal) =>
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)),
    );
  });
}
