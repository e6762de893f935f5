// The real Placement under uwsgi, on the same MariaDB server as Cumulet.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { end, freePort, type Peer } from '../cumulet.ts';

/**
 * Starts Debian's placement-api with uwsgi, from this system or from the root folder of another
 * Debian in CUMULET_BENCH_DEBIAN (made with mmdebstrap or debootstrap, with placement-api,
 * uwsgi-core, uwsgi-plugin-python3, python3-pymysql).
 * @returns undefined if it is not installed
 */
export async function startPlacement(
  mysql: string,
  database: string,
  processes: number,
): Promise<Peer | undefined> {
  const debian = process.env['CUMULET_BENCH_DEBIAN'] ?? '';
  if (
    !existsSync(`${debian}/usr/bin/uwsgi-core`) ||
    !existsSync(`${debian}/usr/bin/placement-manage`)
  )
    return undefined;
  const within = (command: string, args: readonly string[]): [string, string[]] =>
    debian ? ['chroot', [debian, command, ...args]] : [command, [...args]];
  const folder = `/tmp/cumulet-bench-${process.pid}`;
  mkdirSync(debian + folder, { recursive: true });
  const config = [
    '[DEFAULT]',
    `log_file = ${folder}/placement.log`,
    '[placement_database]',
    `connection = mysql+pymysql://root@127.0.0.1:${new URL(mysql).port}/${database}?charset=utf8mb4`,
    '[api]',
    'auth_strategy = noauth2',
    '',
  ];
  writeFileSync(`${debian}${folder}/placement.conf`, config.join('\n'));
  const env = { ...process.env, OS_PLACEMENT_CONFIG_DIR: folder };
  const [manage, manageArgs] = within('placement-manage', [
    '--config-file',
    `${folder}/placement.conf`,
    'db',
    'sync',
  ]);
  const synced = spawnSync(manage, manageArgs, { env, encoding: 'utf8' });
  if (synced.status !== 0) throw new Error(`placement-manage db sync: ${synced.stderr}`);
  const port = await freePort();
  const script = existsSync(`${debian}/usr/bin/placement-api`)
    ? ['--wsgi-file', '/usr/bin/placement-api']
    : ['--module', 'placement.wsgi.api:application'];
  const args = [
    '--plugins',
    'python3',
    '--http-socket',
    `127.0.0.1:${port}`,
    ...script,
    '--processes',
    String(processes),
    '--master',
    '--die-on-term',
    '--lazy-apps',
    '--tcp-nodelay',
    '--buffer-size',
    '65535',
    '--disable-logging',
    '--logto',
    `${folder}/uwsgi.log`,
  ];
  const [uwsgi, uwsgiArgs] = within('uwsgi', args);
  const child = spawn(uwsgi, uwsgiArgs, { env, stdio: 'ignore' });
  const origin = `http://127.0.0.1:${port}`;
  for (let left = 200; ; left--) {
    if ((await fetch(origin).catch(() => undefined))?.ok) break;
    if (!left || child.exitCode !== null)
      throw new Error(`The real Placement did not start: see ${debian}${folder}/uwsgi.log`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const [query, queryArgs] = within('dpkg-query', [
    '-W',
    '-f',
    '${Package} ${Version}',
    'python3-placement',
  ]);
  return {
    name: 'Placement',
    keepsConnections: false,
    origin,
    version: spawnSync(query, queryArgs, { encoding: 'utf8' }).stdout.trim(),
    stop: () => end(child, 'SIGTERM'),
  };
}
