// The command `cumulet exec`: runs another command against an emulator of its own.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { configFrom } from '../config.ts';
import { lastingFields } from '../config-file.ts';
import { urlVariable } from '../emulator/client.ts';
import { clientEnvironment, cloudsYaml } from '../emulator/client-configuration/configuration.ts';
import { withoutProxy } from '../emulator/client-configuration/shells.ts';
import { clientConfigOf } from '../emulator/client-configuration/sign-in.ts';
import { ineffectiveOptions } from '../emulator/initial-options/warnings.ts';
import type { Config } from '../kernel/settings.ts';
import { run, type Running } from '../server.ts';
import { childCommand, isPassedOn } from './child.ts';
import { withServerOptions, type InitialValues } from './server-options.ts';

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
  withServerOptions(command, initial, lastingFields)
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
  if (config.workers > 1)
    throw new Error('The emulator of exec is a single process. Leave --workers out.');
  const running = await run(config);
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-'));
  try {
    process.exitCode = await runChild(command, await variablesFor(running, folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await running.stop();
  }
}

/**
 * The variables for the command, and the file that one of them names.
 * @throws Error with the next step if the command could not sign in
 */
async function variablesFor(
  { cloud, origin }: Running,
  folder: string,
): Promise<Record<string, string>> {
  const { controlToken } = cloud.config;
  for (const warning of await ineffectiveOptions(cloud)) cloud.log.warn(warning);
  const client = await clientConfigOf(cloud, origin);
  const { variables, missing } = clientEnvironment(client);
  if (client.signIn.kind === 'password' && missing !== undefined)
    throw new Error(
      'The command could not sign in: the password of the user admin is neither the default nor ' +
        'that of --admin-password. Give its password with --admin-password <password>.',
    );
  if (missing !== undefined) cloud.log.warn(missing);
  const file = join(folder, 'clouds.yaml');
  writeFileSync(file, cloudsYaml(client), { mode: 0o600 });
  return {
    ...variables,
    ...withoutProxy(origin, process.env),
    OS_CLIENT_CONFIG_FILE: file,
    [urlVariable]: origin,
    ...authorityOfNode(client.cacert, folder),
    ...(controlToken ? { CUMULET_CONTROL_TOKEN: controlToken } : {}),
  };
}

/** Lets programs on Node trust the authority of `--tls`; openstack and others read OS_CACERT. */
function authorityOfNode(cacert: string | undefined, folder: string): Record<string, string> {
  if (cacert === undefined) return {};
  const others = process.env[extraAuthorities];
  if (!others) return { [extraAuthorities]: cacert };
  const file = join(folder, 'authorities.pem');
  const files = [others, cacert].filter((one) => existsSync(one));
  writeFileSync(file, files.map((one) => readFileSync(one, 'utf8')).join('\n'));
  return { [extraAuthorities]: file };
}

/** The variable of Node with a file of authorities that it trusts besides its own. */
const extraAuthorities = 'NODE_EXTRA_CA_CERTS';

/** Runs a command. @returns its exit code @throws Error with the next step if it cannot start */
function runChild(
  words: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<number> {
  // OS_* variables that are meant for another cloud would interfere.
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('OS_'));
  const { file, args, ...options } = childCommand(words);
  const child = spawn(file, args, {
    ...options,
    stdio: 'inherit',
    env: { ...Object.fromEntries(inherited), ...variables },
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (isPassedOn(signal, process.platform, process.stdin.isTTY)) child.kill(signal);
    });
  return new Promise((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(new Error(startProblem(words[0]!, error))),
    );
    child.once('exit', (code, signal) =>
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)),
    );
  });
}

/** Why a command cannot start, with the next step. */
function startProblem(file: string, { code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT')
    return `Command '${file}' not found. Install it, or add its folder to PATH.`;
  if (code === 'EACCES')
    return `'${file}' cannot be executed. Make it executable with chmod +x, or name its interpreter.`;
  return `Command '${file}' cannot be started: ${message}.`;
}
