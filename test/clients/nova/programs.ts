// Runs the programs of a deployment in the foreground: RabbitMQ and Nova's own.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pause } from '../../../src/kernel/clock.ts';

export const run = promisify(execFile);

/** Debian's interpreter, which has its modules. */
export const python = '/usr/bin/python3';

/** A program that runs in the foreground. */
export interface Program {
  readonly name: string;
  /** Ends the program, and waits until it has ended. */
  stop(): Promise<void>;
}

/** Starts a program. Its end before `stop` is reported with its last output. */
export function start(
  name: string,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Program {
  const child: ChildProcess = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a process group, because some programs are scripts that start others
  });
  let output = '';
  const keep = (data: Buffer): void => void (output = (output + data.toString()).slice(-4000));
  child.stdout!.on('data', keep);
  child.stderr!.on('data', keep);
  let isStopping = false;
  child.once('exit', (code) => {
    if (!isStopping) console.log(`    ${name} ended with ${code}:\n${output}`);
  });
  const ended = once(child, 'exit');
  const kill = (): void => void process.kill(-child.pid!, 'SIGKILL');
  process.once('exit', kill);
  return {
    name,
    async stop() {
      process.off('exit', kill);
      if (isStopping || child.exitCode !== null) return;
      isStopping = true;
      kill();
      await ended;
    },
  };
}

/** A free port of the loopback interface. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/** Starts one of Nova's programs, by the module that has its `main`. */
export const startNova = (name: string, module: string, config: string): Program =>
  start(name, python, [
    '-c',
    `import sys; from nova.cmd.${module} import main; sys.argv[0] = 'nova-${name}'; sys.exit(main())`,
    '--config-file',
    config,
  ]);

/** Runs nova-manage. @throws Error with its output if it fails */
export async function novaManage(config: string, args: readonly string[]): Promise<string> {
  const main =
    "import sys; from nova.cmd.manage import main; sys.argv[0] = 'nova-manage'; sys.exit(main())";
  const { stdout } = await run(python, ['-c', main, '--config-file', config, ...args]);
  return stdout;
}

const rabbitFolder = '/usr/lib/rabbitmq/lib';

/** The folder of RabbitMQ's scripts; undefined if it is not installed. */
function rabbitScripts(): string | undefined {
  if (!existsSync(rabbitFolder)) return undefined;
  const release = readdirSync(rabbitFolder).find((name) => name.startsWith('rabbitmq_server'));
  return release && join(rabbitFolder, release, 'sbin');
}

/** The reason why a program with this Python module cannot run here; undefined if it can. */
export async function missing(module: string, name: string): Promise<string | undefined> {
  const install = `apt-get install --no-install-recommends ${name} rabbitmq-server`;
  if (!rabbitScripts()) return `RabbitMQ is not installed: ${install}`;
  return run(python, ['-c', `import ${module}`]).then(
    () => undefined,
    () => `${name} is not installed: ${install}`,
  );
}

/** The release of the installed Nova. */
export async function novaRelease(): Promise<string> {
  const script = 'from nova import version; print(version.version_string())';
  return (await run(python, ['-c', script])).stdout.trim();
}

/** Starts RabbitMQ and the port mapper that Erlang needs, both on loopback ports of their own. */
export async function startRabbit(folder: string, port: number): Promise<Program[]> {
  const scripts = rabbitScripts()!;
  const [mapperPort, distPort] = [await freePort(), await freePort()];
  mkdirSync(folder, { recursive: true });
  const env = {
    HOME: folder,
    ERL_EPMD_PORT: String(mapperPort),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_NODENAME: 'cumulet@localhost',
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_DIST_PORT: String(distPort),
    RABBITMQ_MNESIA_BASE: join(folder, 'mnesia'),
    RABBITMQ_LOG_BASE: join(folder, 'log'),
    RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq'),
    RABBITMQ_CONF_ENV_FILE: join(folder, 'environment'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'plugins'),
    RABBITMQ_PID_FILE: join(folder, 'pid'),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
  };
  const mapper = start('epmd', 'epmd', ['-port', String(mapperPort), '-address', '127.0.0.1'], env);
  const server = start('rabbitmq', join(scripts, 'rabbitmq-server'), [], env);
  const ping = ['-q', '--node', 'cumulet@localhost', 'await_startup'];
  for (let attempt = 1; ; attempt++) {
    try {
      await run(join(scripts, 'rabbitmqctl'), ping, { env: { ...process.env, ...env } });
      return [server, mapper];
    } catch (error) {
      if (attempt === 20) throw error;
      await pause(1000);
    }
  }
}
