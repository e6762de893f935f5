// Measures what an open page costs: the CPU time of an emulator with 2,000 hosts that serves 100
// requests a second, in alternating rounds with the page open and closed (npm run bench:page).
import { parseArgs } from 'node:util';
import { openTab, startBrowser } from '../test/page/browser.ts';
import { clientFor, type Client } from './client.ts';
import { cpuOf } from './cpu.ts';
import { startCumulet } from './cumulet.ts';
import { at, median } from './statistics.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '5' },
    rate: { type: 'string', default: '100' },
    preset: { type: 'string', default: 'large' },
    views: { type: 'string', default: 'overview,hosts,requests,leases' },
  },
});
const [seconds, rounds, perSecond] = [values.seconds, values.rounds, values.rate].map(Number) as [
  number,
  number,
  number,
];

const peer = await startCumulet('mysql://unused', 'unused', 1, [
  '--database',
  'memory:',
  '--preset',
  values.preset,
  '--journal',
  '1000',
]);
const origin = new URL(peer.origin).origin;
const placement = clientFor(peer.origin, peer);
const compute = clientFor(`${origin}/compute/v2.1`, { service: 'compute', newest: '2.90' });
const browser = await startBrowser();

const listOf = async (client: Client, path: string, name: string): Promise<{ id: string }[]> =>
  (
    JSON.parse((await client.ask({ method: 'GET', path })).text) as Record<string, { id: string }[]>
  )[name]!;

const [flavor] = await listOf(compute, '/flavors?sort_key=memory_mb', 'flavors');
const images = clientFor(`${origin}/image/v2`, {});
const [image] = await listOf(images, '/images', 'images');
const servers: string[] = [];

/** Creates a server; from the fifth on, deletes the oldest one first. */
async function replaceServer(): Promise<void> {
  const oldest = servers.length >= 5 ? servers.shift() : undefined;
  if (oldest !== undefined) await compute.must({ method: 'DELETE', path: `/servers/${oldest}` });
  const server = { name: 'b', flavorRef: flavor!.id, imageRef: image!.id, networks: 'none' };
  const reply = await compute.ask({ method: 'POST', path: '/servers', body: { server } });
  servers.push((JSON.parse(reply.text) as { server: { id: string } }).server.id);
}

/** One write and nine reads, over and over. */
const requests: readonly (() => Promise<unknown>)[] = [
  replaceServer,
  ...Array.from(
    { length: 3 },
    () => () => compute.ask({ method: 'GET', path: '/servers?limit=20' }),
  ),
  ...Array.from(
    { length: 3 },
    () => () => placement.drain('/allocation_candidates?resources=VCPU:1&limit=10'),
  ),
  ...Array.from({ length: 3 }, () => () => placement.drain('/resource_providers?name=host-1')),
];

/** Sends requests at the rate, and waits for all replies. @returns CPU time of a request, in ms */
async function load(): Promise<number> {
  const before = cpuOf(peer.pid!);
  const sent: Promise<unknown>[] = [];
  const started = performance.now();
  const count = seconds * perSecond;
  for (let index = 0; index < count; index++) {
    const due = started + (index * 1000) / perSecond;
    const early = due - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    sent.push(requests[index % requests.length]!());
  }
  await Promise.all(sent);
  return (cpuOf(peer.pid!) - before) / count;
}

/** Does the work with the page open at a view. */
async function withPage(view: string): Promise<number> {
  const { page, close } = await openTab(browser);
  await page.goto(`${origin}/_emulator/ui/${view === 'overview' ? '' : view}`);
  await page.waitForSelector('.connection.good');
  await page.locator('.loading').first().waitFor({ state: 'detached' });
  const cost = await load();
  await close();
  return cost;
}

try {
  await load();
  console.log(
    '| view | closed, ms a request | open, ms a request | open ÷ closed | quartiles |\n' +
      '|---|---|---|---|---|',
  );
  for (const view of values.views.split(',')) {
    const found: { closed: number; open: number }[] = [];
    for (let round = 0; round < rounds; round++)
      found.push({ closed: await load(), open: await withPage(view) });
    const ratios = found.map(({ closed, open }) => open / closed);
    console.log(
      `| ${view} | ${median(found.map(({ closed }) => closed)).toFixed(2)} ` +
        `| ${median(found.map(({ open }) => open)).toFixed(2)} | ${median(ratios).toFixed(2)} ` +
        `| ${at(1 / 4, ratios).toFixed(2)}–${at(3 / 4, ratios).toFixed(2)} |`,
    );
  }
} finally {
  await browser.close();
  for (const client of [placement, compute, images]) client.close();
  await peer.stop();
}
