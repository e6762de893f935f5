// The loads (a) to (h) of RESULTS.md: each prepares its data once for each server, and then runs in
// alternating rounds.
import { randomUUID } from 'node:crypto';
import { rate, type Client } from '../client.ts';
import { flatHost, gateQuery, nestedTree, perform, sharedStorage } from './topology.ts';

export interface Load {
  readonly name: string;
  /** The name of one repetition. */
  readonly unit: string;
  /** The data set of the load: loads with the same one share a database. */
  readonly world: World;
  readonly inFlight: number;
  /** For the floor: the path of a read, or the task of a write. */
  readonly path?: (world: Filled, index: number) => string;
  readonly write?: 'claims' | 'trees' | 'mixed';
  /** Runs for about this many seconds. @returns repetitions per second */
  run(client: Client, world: Filled, seconds: number): Promise<number>;
}

export type World = 'building' | 'nested' | 'flat' | 'sharing' | 'full';

/** The contents of a data set. */
export interface Filled {
  readonly hosts: readonly string[];
}

/** Fills an empty server. @returns its hosts, and the rate in requests per second */
export async function fill(
  client: Client,
  world: World,
  trees: number,
): Promise<Filled & { requests: number }> {
  await client.must({ method: 'PUT', path: '/traits/CUSTOM_FOO' });
  const size = world === 'building' ? 20 : trees;
  const hosts: string[] = [];
  let sent = 0;
  const aggregates = Array.from({ length: Math.max(1, size / 50) }, () => randomUUID());
  const began = performance.now();
  await rate(8, { pieces: size }, async (index) => {
    const aggregate = aggregates[index % aggregates.length]!;
    const made =
      world !== 'flat' && world !== 'sharing'
        ? nestedTree()
        : flatHost(aggregate, world === 'flat');
    await perform(client, made.asks);
    sent += made.asks.length;
    hosts.push('root' in made ? made.root : made.uuid);
    if (world === 'full' && index % 20 !== 0) await occupy(client, made.asks);
  });
  const seconds = (performance.now() - began) / 1000;
  if (world === 'sharing')
    for (const aggregate of aggregates) await perform(client, sharedStorage(aggregate));
  return { hosts, requests: sent / seconds };
}

/** Claims all processors of a tree, so that further claims are refused. */
async function occupy(client: Client, asks: ReturnType<typeof nestedTree>['asks']): Promise<void> {
  const nodes = asks.filter(
    ({ body }) => (body as { inventories?: Record<string, object> }).inventories?.['VCPU'],
  );
  const allocations = Object.fromEntries(
    nodes.map(({ path }, index) => [
      path.split('/')[2],
      { resources: { VCPU: index === 0 ? 2 : 4 } },
    ]),
  );
  await client.must({
    method: 'PUT',
    path: `/allocations/${randomUUID()}`,
    body: claim(allocations),
  });
}

const claim = (allocations: object): object => ({
  allocations,
  project_id: 'p',
  user_id: 'u',
  consumer_generation: null,
  consumer_type: 'INSTANCE',
});

const get = (
  name: string,
  world: World,
  inFlight: number,
  path: (world: Filled, index: number) => string,
): Load => ({
  name,
  unit: 'requests',
  world,
  inFlight,
  path,
  run: (client, filled, seconds) => {
    const paths = new Set(filled.hosts.map((_, index) => path(filled, index)));
    return client.readsPerSecond([...paths], inFlight, seconds);
  },
});

const host = (filled: Filled, index: number): string =>
  filled.hosts[(index * 7919) % filled.hosts.length]!;

async function claimAndRelease(client: Client, filled: Filled, index: number): Promise<void> {
  const path = `/allocations/${randomUUID()}`;
  await client.must(
    {
      method: 'PUT',
      path,
      body: claim({
        [host(filled, index)]: { resources: { VCPU: 2, MEMORY_MB: 512, DISK_GB: 5 } },
      }),
    },
    204,
    409,
  );
  await client.must({ method: 'DELETE', path }, 204, 404);
}

const plain = '/allocation_candidates?resources=VCPU:1,MEMORY_MB:1024,DISK_GB:10';

export const loads: readonly Load[] = [
  {
    name: '(a) building trees of 7, 8 at a time',
    unit: 'requests',
    world: 'building',
    inFlight: 8,
    write: 'trees',
    run: async (client, _, seconds) => {
      let sent = 0;
      const began = performance.now();
      await rate(8, { seconds }, async () => {
        const { asks } = nestedTree();
        await perform(client, asks);
        sent += asks.length;
      });
      return (sent / (performance.now() - began)) * 1000;
    },
  },
  get('(b) gate query, limit=10', 'nested', 4, () => `${gateQuery}&limit=10`),
  get('(b) gate query, limit=1000', 'nested', 4, () => `${gateQuery}&limit=1000`),
  get('(b) gate query, no limit', 'nested', 4, () => gateQuery),
  get('(c) plain query, limit=1000', 'flat', 4, () => `${plain}&limit=1000`),
  get('(c) plain query, limit=10', 'flat', 4, () => `${plain}&limit=10`),
  get(
    '(d) with required and forbidden traits',
    'flat',
    4,
    () => `${plain}&required=HW_CPU_X86_AVX2,!CUSTOM_FOO&limit=100`,
  ),
  get('(d) with sharing storage, limit=100', 'sharing', 4, () => `${plain}&limit=100`),
  {
    name: '(e) claim and release',
    unit: 'pairs',
    world: 'flat',
    inFlight: 8,
    write: 'claims',
    run: (client, filled, seconds) =>
      rate(8, { seconds }, (index) => claimAndRelease(client, filled, index)),
  },
  {
    name: '(e) claim and release, all on one provider',
    unit: 'pairs',
    world: 'flat',
    inFlight: 8,
    run: (client, filled, seconds) =>
      rate(8, { seconds }, () => claimAndRelease(client, filled, 0)),
  },
  get(
    '(f) GET a provider',
    'flat',
    8,
    (filled, index) => `/resource_providers/${host(filled, index)}`,
  ),
  get(
    '(f) GET a provider, 32 clients',
    'flat',
    32,
    (filled, index) => `/resource_providers/${host(filled, index)}`,
  ),
  get(
    '(f) GET its inventories',
    'flat',
    8,
    (filled, index) => `/resource_providers/${host(filled, index)}/inventories`,
  ),
  get(
    '(f) GET its usages',
    'flat',
    8,
    (filled, index) => `/resource_providers/${host(filled, index)}/usages`,
  ),
  get('(g) gate query on a nearly full cloud, limit=10', 'full', 4, () => `${gateQuery}&limit=10`),
  {
    name: '(h) queries and claims mixed, 32 clients',
    unit: 'requests',
    world: 'flat',
    inFlight: 32,
    path: () => `${plain}&limit=10`,
    write: 'mixed',
    run: (client, filled, seconds) =>
      rate(32, { seconds }, (index) =>
        index % 4 ? claimAndRelease(client, filled, index) : client.drain(`${plain}&limit=10`),
      ),
  },
];
