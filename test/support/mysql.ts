// A private MySQL or MariaDB for the tests: empty, on this machine only, without any durability,
// and gone with the process.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import {
  accessSync,
  constants,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { createConnection, type RowDataPacket } from 'mysql2/promise';

export interface TestMysql {
  /** Without a database name, unless CUMULET_TEST_DATABASE has one: the tests create their own. */
  readonly url: string;
  readonly socket?: string;
  /** With the name: `MariaDB 10.11.19`, `MySQL 9.7.4`. */
  readonly version: string;
  /** The process, where it is ours. */
  readonly pid?: number;
  stop(): Promise<void>;
}

const run = promisify(execFile);

const SERVERS = ['mariadbd', 'mysqld'];
const INSTALLERS = ['mariadb-install-db', 'mysql_install_db'];
/** Where servers are installed but a user's PATH does not look. */
const FURTHER_FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/usr/local/mysql/bin', '/usr/libexec'];
const MEMORY = '/dev/shm';
const ROOM_BYTES = 512 * 1024 * 1024;
const PATIENCE_MS = 60_000;
const PAUSE_MS = 10;

/** What a test forgoes: nothing is ever flushed, logged or measured. */
const CARELESS = [
  '--skip-log-bin',
  '--innodb-flush-log-at-trx-commit=0',
  '--innodb-doublewrite=OFF',
  '--innodb-buffer-pool-size=128M',
  '--performance-schema=OFF',
];
const CARELESS_MARIADB = ['--innodb-flush-method=nosync', '--innodb-log-file-size=32M'];
const CARELESS_MYSQL = ['--innodb-redo-log-capacity=64M', '--mysqlx=OFF'];

/**
 * MariaDB's installer lets root in from 127.0.0.1; MySQL's does not. The server runs this before it
 * answers.
 */
const ROOT_OVER_TCP = `CREATE USER IF NOT EXISTS 'root'@'127.0.0.1';
GRANT ALL ON *.* TO 'root'@'127.0.0.1' WITH GRANT OPTION;
`;

/**
 * A shell holds the server and waits for our end of its stdin to close, as it does however this
 * process ends; then it kills the server and removes the folder. Its stdout is the server's alone,
 * so that its end is the server's end.
 */
const KEEPER =
  '"$@" </dev/null 2>&1 & server=$!; exec >/dev/null 2>&1; read -r _; kill -9 "$server"; ' +
  'wait "$server"; rm -rf "$0"';

/**
 * The server that CUMULET_TEST_DATABASE names, or a new one; undefined where none is installed, or
 * where it says `none`.
 */
export async function startMysql(): Promise<TestMysql | undefined> {
  const given = process.env['CUMULET_TEST_DATABASE'];
  if (given === 'none') return undefined;
  if (given !== undefined && given !== '')
    return { url: given, version: await ask(given), stop: async () => {} };
  return startOwnMysql();
}

/** A new server, whatever CUMULET_TEST_DATABASE says; undefined where none is installed. */
export async function startOwnMysql(): Promise<TestMysql | undefined> {
  const server = find(SERVERS);
  if (server === undefined) return undefined;
  const { stdout } = await run(server, ['--no-defaults', '--version']);
  const installer = stdout.includes('MariaDB') ? find(INSTALLERS) : undefined;
  if (stdout.includes('MariaDB') && installer === undefined) return undefined;
  const folder = mkdtempSync(join(roomIn(MEMORY) ? MEMORY : tmpdir(), 'cumulet-mysql-'));
  try {
    await (installer === undefined
      ? initializeMysql(server, folder)
      : initializeMariadb(installer, folder));
    return await start(server, installer === undefined ? CARELESS_MYSQL : CARELESS_MARIADB, folder);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

async function initializeMariadb(installer: string, folder: string): Promise<void> {
  const root = [
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
    '--skip-name-resolve',
  ];
  // A folder of its own for what is temporary: two that install at once would find each other's in
  // /tmp.
  const places = [`--datadir=${join(folder, 'data')}`, `--tmpdir=${folder}`];
  await run(installer, ['--no-defaults', ...owner(), ...places, ...root, ...CARELESS_MARIADB]);
}

async function initializeMysql(server: string, folder: string): Promise<void> {
  await run(server, [
    '--no-defaults',
    ...owner(),
    `--datadir=${join(folder, 'data')}`,
    '--initialize-insecure',
    ...CARELESS_MYSQL.slice(0, 1),
  ]);
}

async function start(
  server: string,
  careless: readonly string[],
  folder: string,
): Promise<TestMysql> {
  const port = await freePort();
  const socket = join(folder, 'socket');
  writeFileSync(join(folder, 'init.sql'), ROOT_OVER_TCP);
  const places = [
    `--datadir=${join(folder, 'data')}`,
    `--socket=${socket}`,
    `--pid-file=${join(folder, 'pid')}`,
  ];
  const network = [
    '--bind-address=127.0.0.1',
    `--port=${port}`,
    '--skip-name-resolve',
    '--max-connections=500',
  ];
  const manner = [
    '--character-set-server=utf8mb4',
    `--init-file=${join(folder, 'init.sql')}`,
    ...CARELESS,
    ...careless,
  ];
  const command = [server, '--no-defaults', ...owner(), ...places, ...network, ...manner];
  // A group of its own: an interrupt from the keyboard is for us, and the keeper follows.
  const keeper = spawn('/bin/sh', ['-c', KEEPER, folder, ...command], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  const gone = new Promise<void>((resolve) => keeper.once('exit', () => resolve()));
  const url = `mysql://root@127.0.0.1:${port}`;
  const version = await ready(url, socket, keeper);
  doNotWaitFor(keeper);
  return {
    url,
    socket,
    version,
    pid: Number(readFileSync(join(folder, 'pid'), 'utf8')),
    async stop() {
      keeper.ref();
      keeper.stdin?.end();
      await gone;
    },
  };
}

/** The server's version, as soon as it answers; what it said, when it ends instead. */
async function ready(url: string, socket: string, keeper: ChildProcess): Promise<string> {
  const patience = Date.now() + PATIENCE_MS;
  let said = '';
  let ended = false;
  keeper.stdout?.on('data', (data: Buffer) => (said += data.toString()));
  keeper.stdout?.once('end', () => (ended = true));
  for (;;) {
    try {
      return await ask(url, socket);
    } catch (error) {
      if (ended || Date.now() > patience) {
        keeper.stdin?.end();
        throw new Error(`MySQL does not start:\n${said}`, { cause: error });
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

/**
 * What answers there; with a socket, only the server that has it: another run may have been faster
 * to take the port.
 */
async function ask(url: string, socket?: string): Promise<string> {
  const connection = await createConnection(url);
  try {
    const [rows] = await connection.query<RowDataPacket[]>(
      'SELECT VERSION() AS version, @@socket AS socket',
    );
    if (socket !== undefined && rows[0]?.['socket'] !== socket)
      throw new Error(`Somebody else's server is at ${url}.`);
    const version = String(rows[0]?.['version']);
    return version.includes('MariaDB') ? `MariaDB ${version.split('-')[0]}` : `MySQL ${version}`;
  } finally {
    await connection.end();
  }
}

/** A test run that forgets to stop the server can end all the same. */
function doNotWaitFor(keeper: ChildProcess): void {
  keeper.unref();
  for (const stream of [keeper.stdin, keeper.stdout])
    if (stream !== null && 'unref' in stream) (stream.unref as () => void).call(stream);
}

/** Root must say that it means it; everybody else runs the server as themselves. */
function owner(): string[] {
  return process.getuid?.() === 0 ? ['--user=root'] : [];
}

function find(names: readonly string[]): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...FURTHER_FOLDERS];
  return folders
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => may(path, constants.X_OK));
}

/** A container's memory disk is often too small for a server. */
function roomIn(folder: string): boolean {
  if (!may(folder, constants.W_OK)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > ROOM_BYTES;
}

function may(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) =>
    probe.once('error', reject).listen(0, '127.0.0.1', resolve),
  );
  const { port } = probe.address() as AddressInfo;
  await new Promise<void>((resolve) => probe.close(() => resolve()));
  return port;
}
