// Starts a private MySQL or MariaDB server for the tests: empty, local, without durability, and
// removed when the process ends.
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
  /**
   * Has no database name unless CUMULET_TEST_DATABASE has one: the tests create their own
   * databases.
   */
  readonly url: string;
  readonly socket?: string;
  /** Product and version, such as `MariaDB 10.11.19` or `MySQL 9.7.4`. */
  readonly version: string;
  /** The server's process id, if these tests started it. */
  readonly pid?: number;
  stop(): Promise<void>;
}

const run = promisify(execFile);

const SERVERS = ['mariadbd', 'mysqld'];
const INSTALLERS = ['mariadb-install-db', 'mysql_install_db'];
/** Folders outside a normal user's PATH where servers are installed. */
const FURTHER_FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/usr/local/mysql/bin', '/usr/libexec'];
const MEMORY = '/dev/shm';
const REQUIRED_BYTES = 512 * 1024 * 1024;
const TIMEOUT_MS = 60_000;
const POLL_INTERVAL_MS = 10;

/** Options that trade durability for speed: no flushes, no binary log, no statistics. */
const FAST = [
  '--skip-log-bin',
  '--innodb-flush-log-at-trx-commit=0',
  '--innodb-doublewrite=OFF',
  '--innodb-buffer-pool-size=128M',
  '--performance-schema=OFF',
];
const FAST_MARIADB = ['--innodb-flush-method=nosync', '--innodb-log-file-size=32M'];
const FAST_MYSQL = ['--innodb-redo-log-capacity=64M', '--mysqlx=OFF'];

/**
 * Allows root to connect from 127.0.0.1, as MariaDB's installer does and MySQL's does not. The
 * server runs this before it accepts connections.
 */
const ROOT_OVER_TCP = `CREATE USER IF NOT EXISTS 'root'@'127.0.0.1';
GRANT ALL ON *.* TO 'root'@'127.0.0.1' WITH GRANT OPTION;
`;

/**
 * A shell that runs the server, and kills it and removes its folder once stdin closes. Stdin closes
 * however this process ends. Only the server writes to stdout, so stdout ends when the server does.
 */
const KEEPER =
  '"$@" </dev/null 2>&1 & server=$!; exec >/dev/null 2>&1; read -r _; ' +
  'kill -9 "$server"; wait "$server"; rm -rf "$0"';

/**
 * Uses the server that CUMULET_TEST_DATABASE names, or starts a new one.
 * @returns undefined if no server is installed, or if the variable is `none`
 */
export async function startMysql(): Promise<TestMysql | undefined> {
  const given = process.env['CUMULET_TEST_DATABASE'];
  if (given === 'none') return undefined;
  if (given !== undefined && given !== '')
    return { url: given, version: await ask(given), stop: async () => {} };
  return startOwnMysql();
}

/**
 * Starts a new server regardless of CUMULET_TEST_DATABASE.
 * @returns undefined if no server is installed
 */
export async function startOwnMysql(): Promise<TestMysql | undefined> {
  const server = find(SERVERS);
  if (server === undefined) return undefined;
  const { stdout } = await run(server, ['--no-defaults', '--version']);
  const installer = stdout.includes('MariaDB') ? find(INSTALLERS) : undefined;
  if (stdout.includes('MariaDB') && installer === undefined) return undefined;
  const folder = mkdtempSync(join(hasSpace(MEMORY) ? MEMORY : tmpdir(), 'cumulet-mysql-'));
  try {
    await (installer === undefined
      ? initializeMysql(server, folder)
      : initializeMariadb(installer, folder));
    return await start(server, installer === undefined ? FAST_MYSQL : FAST_MARIADB, folder);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Each server and each installation needs its own temporary folder: a MariaDB server that starts
 * deletes the temporary tables of every other server that shares its folder.
 */
const pathOptions = (folder: string): string[] => [
  `--datadir=${join(folder, 'data')}`,
  `--tmpdir=${folder}`,
];

async function initializeMariadb(installer: string, folder: string): Promise<void> {
  const root = [
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
    '--skip-name-resolve',
  ];
  const paths = pathOptions(folder);
  await run(installer, ['--no-defaults', ...userOption(), ...paths, ...root, ...FAST_MARIADB]);
}

async function initializeMysql(server: string, folder: string): Promise<void> {
  await run(server, [
    '--no-defaults',
    ...userOption(),
    ...pathOptions(folder),
    '--initialize-insecure',
    ...FAST_MYSQL.slice(0, 1),
  ]);
}

async function start(server: string, fast: readonly string[], folder: string): Promise<TestMysql> {
  const port = await freePort();
  const socket = join(folder, 'socket');
  writeFileSync(join(folder, 'init.sql'), ROOT_OVER_TCP);
  const paths = [...pathOptions(folder), `--socket=${socket}`, `--pid-file=${join(folder, 'pid')}`];
  const network = [
    '--bind-address=127.0.0.1',
    `--port=${port}`,
    '--skip-name-resolve',
    '--max-connections=500',
  ];
  const settings = [
    '--character-set-server=utf8mb4',
    `--init-file=${join(folder, 'init.sql')}`,
    ...FAST,
    ...fast,
  ];
  const command = [server, '--no-defaults', ...userOption(), ...paths, ...network, ...settings];
  // The keeper runs in its own process group, so that Ctrl-C reaches only this process. The keeper
  // then ends because its stdin closes.
  const keeper = spawn('/bin/sh', ['-c', KEEPER, folder, ...command], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  const gone = new Promise<void>((resolve) => keeper.once('exit', () => resolve()));
  const url = `mysql://root@127.0.0.1:${port}`;
  const version = await ready(url, socket, keeper);
  unreference(keeper);
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

/**
 * Waits until the server answers.
 * @returns its version
 * @throws Error with the server's output if it exits instead
 */
async function ready(url: string, socket: string, keeper: ChildProcess): Promise<string> {
  const deadline = Date.now() + TIMEOUT_MS;
  let output = '';
  let ended = false;
  keeper.stdout?.on('data', (data: Buffer) => (output += data.toString()));
  keeper.stdout?.once('end', () => (ended = true));
  for (;;) {
    try {
      return await ask(url, socket);
    } catch (error) {
      if (ended || Date.now() > deadline) {
        keeper.stdin?.end();
        throw new Error(`MySQL does not start:\n${output}`, { cause: error });
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
    }
  }
}

/**
 * Asks a server for its version. A socket identifies the server that is expected there: another
 * test run may have taken the port first.
 */
async function ask(url: string, socket?: string): Promise<string> {
  const connection = await createConnection(url);
  try {
    const [rows] = await connection.query<RowDataPacket[]>(
      'SELECT VERSION() AS version, @@socket AS socket',
    );
    if (socket !== undefined && rows[0]?.['socket'] !== socket)
      throw new Error(`Another server is listening at ${url}.`);
    const version = String(rows[0]?.['version']);
    return version.includes('MariaDB') ? `MariaDB ${version.split('-')[0]}` : `MySQL ${version}`;
  } finally {
    await connection.end();
  }
}

/** Lets Node exit even if the test run has not stopped the server. */
function unreference(keeper: ChildProcess): void {
  keeper.unref();
  for (const stream of [keeper.stdin, keeper.stdout])
    if (stream !== null && 'unref' in stream) (stream.unref as () => void).call(stream);
}

/** The server refuses to run as root unless told so explicitly. Other users need no option. */
function userOption(): string[] {
  return process.getuid?.() === 0 ? ['--user=root'] : [];
}

function find(names: readonly string[]): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...FURTHER_FOLDERS];
  return folders
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => canAccess(path, constants.X_OK));
}

/** Whether the folder has enough free space: in a container, /dev/shm is often too small. */
function hasSpace(folder: string): boolean {
  if (!canAccess(folder, constants.W_OK)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > REQUIRED_BYTES;
}

function canAccess(path: string, mode: number): boolean {
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
