// Measures the creation and the deletion of throw-away projects, of empty ones and of those with a
// server and a volume (npm run bench:projects).
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { connectCloud, type Cloud } from '../src/library/index.ts';
import { cirrosId } from '../src/services/image/index.ts';
import { startMysql } from '../test/support/mysql.ts';
import { startCumulet } from './cumulet.ts';
import { median } from './statistics.ts';

const { values } = parseArgs({ options: { projects: { type: 'string', default: '200' } } });
const total = Number(values.projects);
const folder = mkdtempSync(join(tmpdir(), 'cumulet-bench-'));

type Project = Awaited<ReturnType<Cloud['project']>>;

/** Creates a server and a volume. */
async function use(origin: string, project: Project): Promise<void> {
  const post = async (path: string, body: object): Promise<void> => {
    const answer = await fetch(`${origin}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'openstack-api-version': 'compute 2.90,volume 3.60',
        'x-auth-token': project.token,
      },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  };
  const networks = [{ uuid: project.networks[0]!.network_id }];
  const server = { name: 's', flavorRef: '42', imageRef: cirrosId, networks };
  await post('/compute/v2.1/servers', { server });
  await post(`/volume/v3/${project.id}/volumes`, { volume: { size: 1 } });
}

async function measured(
  mysql: string,
  title: string,
  flags: readonly string[],
  clients: number,
  isUsed: boolean,
): Promise<string> {
  const name = `projects_${process.pid}_${Date.now()}`;
  const peer = await startCumulet(mysql, name, 1, [
    '--auth',
    'keystone',
    '--hosts',
    '50',
    ...flags,
  ]);
  const origin = peer.origin.replace('/placement', '');
  const cloud = await connectCloud(origin);
  const [creations, deletions]: [number[], number[]] = [[], []];
  let next = 0;
  const client = async (): Promise<void> => {
    while (next++ < total) {
      const began = performance.now();
      const project = await cloud.project();
      creations.push(performance.now() - began);
      if (isUsed) await use(origin, project);
      const left = performance.now();
      await project.delete();
      deletions.push(performance.now() - left);
    }
  };
  try {
    await Promise.all(Array.from({ length: clients }, client));
  } finally {
    await peer.stop();
  }
  const half = (times: readonly number[]): string =>
    median(times.slice(times.length / 2)).toFixed(1);
  const what = isUsed ? 'a server and a volume' : 'empty';
  return `| ${[title, what, clients, half(creations), half(deletions)].join(' | ')} |`;
}

const mysql = await startMysql();
if (!mysql) throw new Error('This needs MariaDB or MySQL: install mariadb-server.');
try {
  console.log(
    `Node ${process.version}, ${mysql.version}; ${cpus().length} cores; medians of the second ` +
      `half of ${total} projects\n`,
  );
  console.log('| database | project | clients | creation, ms | deletion, ms |');
  console.log(`|${'---|'.repeat(5)}`);
  const setups: readonly [title: string, flags: readonly string[]][] = [
    ['SQLite in memory', ['--database', 'memory:']],
    ['SQLite folder', ['--database', `sqlite:${folder}`]],
    ['MariaDB', []],
  ];
  for (const [title, flags] of setups)
    for (const clients of [1, 16])
      for (const isUsed of [false, true])
        console.log(await measured(mysql.url, title, flags, clients, isUsed));
} finally {
  await mysql.stop();
  rmSync(folder, { recursive: true, force: true });
}
