// A private throw-away MySQL for the tests: the server that is installed, in a folder of its own, with durability off.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';

export interface Mysql {
  /** `mysql://root@127.0.0.1:port/`, without a database. */
  readonly url: string;
  readonly version: string;
  stop(): Promise<void>;
}

/** Uses the server that `CUMULET_TEST_DATABASE` names, or starts one; undefined where none is installed. */
export async function startMysql(): Promise<Mysql | undefined> {
  const given = process.env['CUMULET_TEST_DATABASE'];
  if (given) return { url: given, version: await versionAt(given), stop: async () => undefined };
  const daemon = find('mariadbd') ?? find('mysqld');
  return daemon === undefined ? undefined : launch(daemon);
}

function find(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, name)).find(existsSync);
}

async function launch(daemon: string): Promise<Mysql> {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'cumulet-mysql-'));
  const data = join(folder, 'data');
  const user = process.getuid?.() === 0 ? ['--user=root'] : [];
  const maria = daemon.endsWith('mariadbd') || find('mariadb-install-db') !== undefined;
  if (maria) must(find('mariadb-install-db')!, ['--no-defaults', ...user, `--datadir=${data}`, '--auth-root-authentication-method=normal', '--skip-test-db', '--skip-name-resolve']);
  else must(daemon, ['--no-defaults', ...user, `--datadir=${data}`, '--initialize-insecure']);
  const port = await freePort();
  const socket = join(folder, 's');
  const child = spawn(daemon, ['--no-defaults', ...user, `--datadir=${data}`, `--socket=${socket}`, `--pid-file=${join(folder, 'pid')}`, '--bind-address=127.0.0.1', `--port=${port}`, '--skip-log-bin', '--innodb-flush-log-at-trx-commit=0', '--innodb-doublewrite=0', '--innodb-buffer-pool-size=128M', '--performance-schema=OFF', '--max-connections=500', ...(maria ? ['--skip-name-resolve', '--innodb-flush-method=nosync'] : ['--mysqlx=OFF'])], { stdio: 'ignore' });
  const remove = (): void => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', remove);
  if (!maria) await admitRoot(socket);
  const url = `mysql://root@127.0.0.1:${port}/`;
  await untilUp(url, child);
  return {
    url,
    version: await versionAt(url),
    stop: async () => {
      process.removeListener('exit', remove);
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function must(command: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} failed: ${stderr}`);
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** MySQL's own root signs in over the socket only. */
async function admitRoot(socketPath: string): Promise<void> {
  for (let left = 100; ; left--) {
    try {
      const connection = await createConnection({ socketPath, user: 'root' });
      await connection.query("CREATE USER IF NOT EXISTS 'root'@'127.0.0.1' IDENTIFIED BY ''");
      await connection.query("GRANT ALL ON *.* TO 'root'@'127.0.0.1' WITH GRANT OPTION");
      return await connection.end();
    } catch (error) {
      if (!left) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

async function untilUp(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    try {
      await versionAt(url);
      return;
    } catch (error) {
      if (child.exitCode !== null) throw new Error('The database server ended before it was up.', { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  }
}

async function versionAt(url: string): Promise<string> {
  const connection = await createConnection(url);
  const [rows] = await connection.query('SELECT VERSION() AS version');
  await connection.end();
  const { version } = (rows as { version: string }[])[0]!;
  return /maria/i.test(version) ? version.replace(/^([\d.]+).*/, 'MariaDB $1') : `MySQL ${version}`;
}
