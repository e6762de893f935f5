// Takes screenshots of each view, in light and dark, wide and narrow, at a frozen clock:
// `npm run screenshots -- [FOLDER] [--views NAMES] [--docs]`. With --docs it writes only the few
// that the documentation shows.
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { packageRoot } from '../../src/kernel/package-root.ts';
import { startEmulator } from '../support/processes.ts';
import { openTab, startBrowser } from './browser.ts';
import { OtherClient } from './client.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { views: { type: 'string' }, docs: { type: 'boolean' } },
});

/** What is shown of a view. */
interface Shot {
  readonly name: string;
  readonly preset: string;
  readonly path: string | ((ids: Ids) => string);
  /** The theme and the file of the picture in the documentation. */
  readonly docs?: 'light' | 'dark';
}

interface Ids {
  readonly failed: string;
}

const shots: readonly Shot[] = [
  { name: 'overview', preset: 'three-zones', path: '', docs: 'light' },
  {
    name: 'hosts',
    preset: 'three-zones',
    path: 'hosts?host=az1-host-1&q=resources%3DVCPU%3A60',
    docs: 'light',
  },
  { name: 'why', preset: 'three-zones', path: ({ failed }) => `why?id=${failed}`, docs: 'dark' },
  { name: 'leases', preset: 'reserved', path: 'leases?hosts=5&start=%2B7d', docs: 'dark' },
  {
    name: 'clusters',
    preset: 'autoscaling',
    path: 'clusters?cluster=web&do=scale+out&count=3',
    docs: 'light',
  },
  { name: 'pods', preset: 'edge-sites', path: 'pods', docs: 'light' },
  { name: 'network', preset: 'autoscaling', path: 'network', docs: 'light' },
  { name: 'requests', preset: 'three-zones', path: 'requests?id=8', docs: 'light' },
  { name: 'states', preset: 'three-zones', path: 'states?from=start', docs: 'dark' },
  {
    name: 'api',
    preset: 'three-zones',
    path: 'api?service=placement&version=1.39&operation=resource_providers:create',
    docs: 'dark',
  },
  { name: 'tour', preset: 'three-zones', path: 'tour' },
];

/** A file with the world of a preset at a frozen time. */
function frozen(preset: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'cumulet-screenshots-')), `${preset}.yaml`);
  const world = readFileSync(join(packageRoot(), 'worlds', 'presets', `${preset}.yaml`), 'utf8');
  writeFileSync(file, `${world}clock: 2026-11-20T12:00:00Z\n`);
  return file;
}

/** Starts a preset at a frozen time, and does what a user might have done. */
async function prepare(preset: string): Promise<{ origin: string; ids: Ids; stop: () => unknown }> {
  const emulator = await startEmulator([
    '--seed',
    frozen(preset),
    '--database',
    'memory:',
    '--journal',
    '1000',
  ]);
  const stop = (): Promise<unknown> => emulator.stop();
  const client = new OtherClient(emulator.origin);
  await client.send('PUT', '/_emulator/explain', { all: true });
  await client.send('PUT', '/_emulator/snapshots/start');
  await client.signIn();
  const { server_group: group } = await client.send<{ server_group: { id: string } }>(
    'POST',
    '/compute/v2.1/os-server-groups',
    { server_group: { name: 'apart', policy: 'anti-affinity' } },
    'compute 2.90',
  );
  if (preset === 'autoscaling') await connectNetworks(client);
  if (preset === 'edge-sites') {
    await client.createServers('edge', 2, { prefix: '/CentralRegion', flavor: 'm1.tiny' });
    await client.send('POST', '/tricircle/v1.0/usages', { usage: {} });
    await client.send('POST', '/_emulator/clock/advance', { hours: 3 });
  }
  if (preset !== 'three-zones') return { origin: emulator.origin, ids: { failed: '' }, stop };
  await client.createServers('web', 5);
  const ids: string[] = [];
  for (const name of ['db-1', 'db-2', 'db-3', 'db-4'])
    ids.push(
      ...(await client.createServers(name, 1, {
        flavor: 'm1.medium',
        fields: { availability_zone: 'az1' },
        hints: { group: group.id },
      })),
    );
  await client.send('GET', '/compute/v2.1/servers/00000000-0000-0000-0000-000000000000');
  await client.send(
    'GET',
    '/placement/allocation_candidates?resources=VCPU:64',
    undefined,
    'placement 1.39',
  );
  return { origin: emulator.origin, ids: { failed: ids.at(-1)! }, stop };
}

/** Gives the project admin a network behind a router, a floating IP and a volume. */
async function connectNetworks(client: OtherClient): Promise<void> {
  const { networks } = await client.send<{ networks: { id: string; name: string }[] }>(
    'GET',
    '/network/v2.0/networks',
  );
  const external = networks.find(({ name }) => name === 'public')!.id;
  const create = async (path: string, key: string, body: object): Promise<string> =>
    (await client.send<Record<string, { id: string }>>('POST', path, { [key]: body }))[key]!.id;
  const network = await create('/network/v2.0/networks', 'network', { name: 'back-end' });
  const subnet = await create('/network/v2.0/subnets', 'subnet', {
    network_id: network,
    cidr: '10.9.0.0/28',
    ip_version: 4,
  });
  const router = await create('/network/v2.0/routers', 'router', {
    name: 'edge',
    external_gateway_info: { network_id: external },
  });
  const add = `/network/v2.0/routers/${router}/add_router_interface`;
  await client.send('PUT', add, { subnet_id: subnet });
  await create('/network/v2.0/floatingips', 'floatingip', { floating_network_id: external });
  await client.createServers('db', 2, { fields: { networks: [{ uuid: network }] } });
  await create('/volume/v3/volumes', 'volume', { name: 'data', size: 10 });
}

const sizes = { wide: [1440, 900], narrow: [390, 844] } as const;

async function take(
  browser: Browser,
  url: string,
  file: string,
  opened: { theme: 'light' | 'dark'; size: keyof typeof sizes },
): Promise<void> {
  const [width, height] = sizes[opened.size];
  const tab = await openTab(browser, { theme: opened.theme, width, height });
  await tab.page.goto(url);
  await tab.page.waitForSelector('.connection.good');
  await tab.page.locator('.loading').first().waitFor({ state: 'detached' });
  await tab.page.screenshot({ path: file, fullPage: opened.size === 'narrow' });
  for (const problem of tab.problems) console.error(`${url}: ${problem}`);
  await tab.close();
}

const folder = positionals[0] ?? join(packageRoot(), 'tmp', 'screenshots');
const wanted = values.views?.split(',');
const chosen = shots.filter(({ name, docs }) =>
  values.docs ? docs : !wanted || wanted.includes(name),
);
process.env['CUMULET_TEST_PROGRAM'] ??= 'dist/main.js';
mkdirSync(folder, { recursive: true });
const browser = await startBrowser();
try {
  for (const preset of new Set(chosen.map((shot) => shot.preset))) {
    const { origin, ids, stop } = await prepare(preset);
    for (const { name, path, docs } of chosen.filter((shot) => shot.preset === preset)) {
      const url = `${origin}/_emulator/ui/${typeof path === 'string' ? path : path(ids)}`;
      if (values.docs) {
        const file = join(packageRoot(), 'docs', 'images', `${name}.png`);
        await take(browser, url, file, { theme: docs!, size: 'wide' });
      } else
        for (const theme of ['light', 'dark'] as const)
          for (const size of ['wide', 'narrow'] as const)
            await take(browser, url, join(folder, `${name}-${theme}-${size}.png`), { theme, size });
    }
    await stop();
  }
} finally {
  await browser.close();
}
