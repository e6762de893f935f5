// Measures reset, snapshot, restore, export and import of a new cloud, of one with many servers,
// and of one with large images (npm run bench:snapshots).
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cirrosId } from '../src/services/image/index.ts';
import { startMysql } from '../test/support/mysql.ts';
import { clientFor, rate } from './client.ts';
import { startCumulet, type Peer } from './cumulet.ts';
import { median } from './statistics.ts';

const { values } = parseArgs({
  options: {
    hosts: { type: 'string', default: '1000' },
    servers: { type: 'string', default: '1000' },
    image: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '7' },
    only: { type: 'string', default: '' },
  },
});
const [hosts, servers, mebibytes, rounds] = [
  values.hosts,
  values.servers,
  values.image,
  values.rounds,
].map(Number) as [number, number, number, number];

const folder = mkdtempSync(join(tmpdir(), 'cumulet-bench-'));

interface Setup {
  readonly title: string;
  readonly flags: () => readonly string[];
}

const setups: readonly Setup[] = [
  { title: 'SQLite in memory', flags: () => ['--database', 'memory:'] },
  {
    title: 'SQLite folder',
    flags: () => ['--database', `sqlite:${mkdtempSync(join(folder, 'cloud-'))}`],
  },
  { title: 'MariaDB', flags: () => [] },
];

interface Size {
  readonly title: string;
  readonly hosts: number;
  readonly rounds: number;
  readonly fill: (origin: string) => Promise<void>;
}

const sizes: readonly Size[] = [
  { title: 'as new', hosts: 3, rounds, fill: async () => {} },
  { title: `${hosts} hosts, ${servers} servers`, hosts, rounds: 3, fill: boot },
  { title: `images of ${mebibytes} MiB`, hosts: 3, rounds: 3, fill: upload },
];

async function boot(origin: string): Promise<void> {
  const client = clientFor(`${origin}/compute/v2.1`, { service: 'compute', newest: '2.104' });
  const quota_set = { instances: -1, cores: -1, ram: -1 };
  await client.must({ method: 'PUT', path: '/os-quota-sets/bench', body: { quota_set } });
  await rate(8, { pieces: servers }, (index) => {
    const server = { name: `s${index}`, flavorRef: '42', imageRef: cirrosId, networks: 'none' };
    return client.must({ method: 'POST', path: '/servers', body: { server } });
  });
  client.close();
}

/** The largest image that the service accepts, in MiB. */
const largest = 50;

async function upload(origin: string): Promise<void> {
  const client = clientFor(`${origin}/image/v2`, { service: 'image' });
  // Incompressible bytes.
  const part = (at: number): Buffer =>
    createHash('shake256', { outputLength: 1024 * 1024 })
      .update(String(at))
      .digest();
  for (let from = 0; from < mebibytes; from += largest) {
    const body = { name: 'large', disk_format: 'raw', container_format: 'bare' };
    const { id } = (await client.must({ method: 'POST', path: '/images', body })) as { id: string };
    const data = Buffer.concat(
      Array.from({ length: Math.min(largest, mebibytes - from) }, (_, at) => part(from + at)),
    );
    const headers = { 'x-auth-token': 'admin:bench', 'content-type': 'application/octet-stream' };
    const answer = await fetch(`${origin}/image/v2/images/${id}/file`, {
      method: 'PUT',
      headers,
      body: data,
    });
    if (answer.status !== 204)
      throw new Error(`The image is refused: ${answer.status} ${await answer.text()}`);
  }
  client.close();
}

/** The median duration in milliseconds. */
async function timeOf(times: number, work: () => Promise<unknown>): Promise<number> {
  const taken: number[] = [];
  for (let round = 0; round < times; round++) {
    const began = performance.now();
    await work();
    taken.push(performance.now() - began);
  }
  return median(taken);
}

const memoryOf = ({ pid }: Peer, what: 'VmRSS' | 'VmHWM'): string => {
  try {
    const found = new RegExp(`${what}:\\s+(\\d+)`).exec(
      readFileSync(`/proc/${pid}/status`, 'utf8'),
    )![1];
    return String(Math.round(Number(found) / 1024));
  } catch {
    return '?';
  }
};

async function measured(mysql: string, setup: Setup, size: Size): Promise<string> {
  const name = `snapshots_${process.pid}_${Date.now()}`;
  const peer = await startCumulet(mysql, name, 1, [
    '--hosts',
    String(size.hosts),
    ...setup.flags(),
  ]);
  const origin = peer.origin.replace('/placement', '');
  const control = async (
    method: string,
    path: string,
    body?: Uint8Array<ArrayBuffer>,
  ): Promise<Buffer<ArrayBuffer>> => {
    const answer = await fetch(`${origin}/_emulator${path}`, { method, ...(body && { body }) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return Buffer.from(await answer.arrayBuffer());
  };
  try {
    await size.fill(origin);
    const idle = memoryOf(peer, 'VmRSS');
    const save = await timeOf(size.rounds, () => control('PUT', '/snapshots/s'));
    const { snapshot } = JSON.parse((await control('GET', '/snapshots/s')).toString()) as {
      snapshot: { size: number; rows: number };
    };
    const restore = await timeOf(size.rounds, () => control('POST', '/snapshots/s/restore'));
    let document = Buffer.alloc(0);
    const exported = await timeOf(
      size.rounds,
      async () => (document = await control('GET', '/export')),
    );
    const imported = await timeOf(size.rounds, () => control('POST', '/import', document));
    const most = memoryOf(peer, 'VmHWM');
    const reset = await timeOf(size.rounds, () => control('POST', '/reset'));
    const cells = [reset, save, restore, exported, imported].map((time) =>
      time < 10 ? time.toFixed(1) : String(Math.round(time)),
    );
    const bytes = [snapshot.size, document.length].map((count) => (count / 1024 / 1024).toFixed(2));
    const all = [setup.title, size.title, snapshot.rows, ...cells, ...bytes, idle, most];
    return `| ${all.join(' | ')} |`;
  } finally {
    await peer.stop();
  }
}

const mysql = await startMysql();
if (!mysql) throw new Error('This needs MariaDB or MySQL: install mariadb-server.');
try {
  console.log(
    `Node ${process.version}, ${mysql.version}; ${cpus().length} cores; ` +
      `medians of ${rounds} rounds, or of 3 for large clouds\n`,
  );
  console.log(
    '| database | cloud | rows | reset, ms | snapshot, ms | restore, ms ' +
      '| export, ms | import, ms ' +
      '| snapshot, MiB | document, MiB | resident before, MB | at most, MB |',
  );
  console.log(`|${'---|'.repeat(12)}`);
  for (const size of sizes.filter(({ title }) => title.includes(values.only)))
    for (const setup of setups) console.log(await measured(mysql.url, setup, size));
} finally {
  await mysql.stop();
  rmSync(folder, { recursive: true, force: true });
}
