// Starts the real Clustering from Debian's packages, with an emulator as its cloud: RabbitMQ, a
// database, the API, conductor, engine and health manager.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMysql } from '../../support/mysql.ts';
import { createConnection } from 'mysql2/promise';
import { signIn, type Ask, type Named } from '../suites/administrator.ts';
import { tokenOf } from '../../support/tokens.ts';

export interface RealClustering {
  /** The address of the API. */
  readonly origin: string;
  /** The folder of the logs, removed when the service is stopped. */
  readonly folder: string;
  stop(): Promise<void>;
}

const python = '/usr/bin/python3';

export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise<void>((resolve) => probe.close(() => resolve()));
  return port;
}

/**
 * Starts the service.
 * @param origin the cloud that it uses
 * @param backend `openstack`, or `openstack_test` for upstream's own fakes
 */
export async function startReal(origin: string, backend = 'openstack'): Promise<RealClustering> {
  const folder = mkdtempSync(join(tmpdir(), 'clustering-oracle-'));
  const children: ChildProcess[] = [];
  const run = (
    name: string,
    command: string,
    args: readonly string[],
    env: NodeJS.ProcessEnv = {},
  ): ChildProcess => {
    const log = openSync(join(folder, `${name}.out`), 'a');
    const child = spawn(command, args, {
      stdio: ['ignore', log, log],
      env: { ...process.env, ...env },
      detached: true,
    });
    children.push(child);
    return child;
  };
  process.once('exit', () => children.forEach(kill));
  const mysql = await startMysql();
  if (!mysql) throw new Error('Neither MariaDB nor MySQL is installed.');
  const rabbit = await startRabbit(folder, run);
  const database = await makeDatabase(mysql.url);
  const port = await freePort();
  await makeServiceUser(await signIn(origin));
  const file = join(folder, 'senlin.conf');
  writeFileSync(file, configuration({ origin, database, rabbit, port, backend, folder }));
  const sync = spawnSync(python, ['/usr/bin/senlin-manage', '--config-file', file, 'db_sync'], {
    encoding: 'utf8',
  });
  if (sync.status !== 0) throw new Error(`senlin-manage db_sync: ${sync.stderr.slice(-2000)}`);
  for (const name of ['senlin-conductor', 'senlin-engine', 'senlin-health-manager', 'senlin-api'])
    run(name, python, ['-W', 'ignore', `/usr/bin/${name}`, '--config-file', file]);
  const own = `http://127.0.0.1:${port}`;
  await until(
    `the API at ${own}; its logs are in ${folder}`,
    async () => (await fetch(own)).status === 300,
  );
  // The other services register in the database once they listen.
  const headers = { 'x-auth-token': await tokenOf(origin, 'admin') };
  await until(`the engine; its logs are in ${folder}`, async () => {
    // A request before the conductor listens never gets a reply.
    const reply = await fetch(`${own}/v1/services`, {
      headers,
      signal: AbortSignal.timeout(10_000),
    });
    const { services } = (await reply.json()) as { services: { binary: string }[] };
    return new Set(services.map(({ binary }) => binary)).size === 3;
  });
  return {
    origin: own,
    folder,
    stop: async () => {
      children.forEach(kill);
      await mysql.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function kill({ pid }: ChildProcess): void {
  try {
    process.kill(-pid!, 'SIGKILL');
  } catch {
    // The process has exited already.
  }
}

async function until(what: string, isSo: () => Promise<boolean>, seconds = 300): Promise<void> {
  for (const end = Date.now() + seconds * 1000; Date.now() < end;) {
    if (await isSo().catch(() => false)) return;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  throw new Error(`Not ready within ${seconds} seconds: ${what}`);
}

type Start = (
  name: string,
  command: string,
  args: readonly string[],
  env?: NodeJS.ProcessEnv,
) => ChildProcess;

/** Starts a private broker on free ports. @returns its port */
async function startRabbit(folder: string, run: Start): Promise<number> {
  const [port, distribution, mapper] = [await freePort(), await freePort(), await freePort()];
  const env = {
    HOME: folder,
    RABBITMQ_NODENAME: `oracle${port}@localhost`,
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_DIST_PORT: String(distribution),
    ERL_EPMD_PORT: String(mapper),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_MNESIA_BASE: join(folder, 'mnesia'),
    RABBITMQ_LOG_BASE: join(folder, 'rabbit-log'),
    RABBITMQ_CONF_ENV_FILE: '/dev/null',
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'plugins'),
  };
  writeFileSync(join(folder, 'plugins'), '[].\n');
  run('epmd', 'epmd', ['-port', String(mapper), '-address', '127.0.0.1'], env);
  run('rabbitmq', '/usr/lib/rabbitmq/bin/rabbitmq-server', [], env);
  const { connect } = await import('node:net');
  await until(
    `RabbitMQ at ${port}; its logs are in ${folder}`,
    () =>
      new Promise((resolve) => {
        const socket = connect(port, '127.0.0.1', () => (socket.end(), resolve(true))).on(
          'error',
          () => resolve(false),
        );
      }),
  );
  return port;
}

async function makeDatabase(url: string): Promise<string> {
  const connection = await createConnection(url);
  await connection.query('DROP DATABASE IF EXISTS senlin_oracle');
  await connection.query('CREATE DATABASE senlin_oracle CHARACTER SET utf8mb3');
  // With this version of SQLAlchemy and eventlet, the service loses connections, whose transactions
  // would hold their locks forever. Only MariaDB has this setting.
  await connection.query('SET GLOBAL idle_transaction_timeout = 10').catch(() => {});
  await connection.end();
  return `${url.replace('mysql:', 'mysql+pymysql:')}/senlin_oracle?charset=utf8`;
}

/** Creates the user that validates tokens, and that other users delegate trusts to. */
async function makeServiceUser(ask: Ask): Promise<void> {
  const all = async (noun: string): Promise<Named[]> =>
    (await ask<Record<string, Named[]>>('GET', `/identity/v3/${noun}`))[noun]!;
  const project =
    (await all('projects')).find(({ name }) => name === 'service') ??
    (
      await ask<{ project: Named }>('POST', '/identity/v3/projects', {
        project: { name: 'service', domain_id: 'default' },
      })
    ).project;
  const existing = (await all('users')).find(({ name }) => name === 'senlin');
  const user = { name: 'senlin', password: 'secret', domain_id: 'default' };
  const { id } = existing
    ? (
        await ask<{ user: Named }>('PATCH', `/identity/v3/users/${existing.id}`, {
          user: { password: 'secret' },
        })
      ).user
    : (await ask<{ user: Named }>('POST', '/identity/v3/users', { user })).user;
  for (const role of (await all('roles')).filter(
    ({ name }) => name === 'admin' || name === 'service',
  ))
    await ask('PUT', `/identity/v3/projects/${project.id}/users/${id}/roles/${role.id}`);
}

interface Places {
  readonly origin: string;
  readonly database: string;
  readonly rabbit: number;
  readonly port: number;
  readonly backend: string;
  readonly folder: string;
}

const configuration = ({
  origin,
  database,
  rabbit,
  port,
  backend,
  folder,
}: Places): string => `[DEFAULT]
transport_url = rabbit://guest:guest@127.0.0.1:${rabbit}/
host = oracle
log_dir = ${folder}
default_region_name = RegionOne
cloud_backend = ${backend}
batch_interval = 1
lock_retry_interval = 2
# On a slow machine, replies may be late. By default, health managers count as dead
# after two seconds.
engine_life_check_timeout = 240
rpc_response_timeout = 240
[database]
connection = ${database}
# Its connections leak with this SQLAlchemy.
max_overflow = 300
[authentication]
auth_url = ${origin}/identity/v3
service_username = senlin
service_password = secret
service_project_name = service
[keystone_authtoken]
www_authenticate_uri = ${origin}/identity
auth_url = ${origin}/identity/v3
auth_type = password
username = senlin
password = secret
project_name = service
user_domain_name = Default
project_domain_name = Default
[senlin_api]
bind_host = 127.0.0.1
bind_port = ${port}
api_paste_config = /usr/share/senlin-common/api-paste.ini
[receiver]
host = 127.0.0.1
port = ${port}
[health_manager]
enabled_endpoints =
[oslo_policy]
policy_dirs = ${folder}/policy.d
`;
