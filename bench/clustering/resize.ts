// Measures the resize of a cluster from nothing to many nodes and back, in memory, in alternating
// rounds of this build and others (npm run bench:clusters). The nodes act by trusts of Keystone.
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { clientFor, type Client } from '../client.ts';
import { cpuOf } from '../cpu.ts';
import { startCumulet, type Peer } from '../cumulet.ts';
import { signIn } from '../sign-in.ts';
import { statementCounter, type StatementCounter } from '../statements.ts';
import { median } from '../statistics.ts';

const { values } = parseArgs({
  options: {
    /** The folders of other checkouts, which have been built. */
    with: { type: 'string', multiple: true, default: [] },
    sizes: { type: 'string', default: '10,100,300,1000' },
    rounds: { type: 'string', default: '3' },
    /** The rounds before those that count: Node compiles what runs often. */
    'warm-up': { type: 'string', default: '1' },
  },
});

/** A build that has been started, with a cluster. */
interface Side {
  readonly build: string;
  readonly peer: Peer;
  readonly client: Client;
  readonly cluster: string;
  readonly counter: StatementCounter;
}

/** @param folder the checkout of another build */
async function start(folder?: string): Promise<Side> {
  const flags = ['--database', 'memory:', '--hosts', '0', '--auth', 'keystone'];
  const counter = statementCounter();
  const { nodeFlags } = counter;
  const peer = await startCumulet('mysql://none', 'none', 1, flags, folder, nodeFlags);
  const { token, project } = await signIn(peer.origin);
  const client = clientFor(new URL('/', peer.origin).href, {
    service: 'clustering',
    newest: '1.14',
    token,
  });
  const make = async (path: string, noun: string, fields: object): Promise<string> => {
    const made = await client.must({ method: 'POST', path, body: { [noun]: fields } });
    return (made as Record<string, { id: string }>)[noun]!.id;
  };
  const host = { name: 'host', vcpus: 100_000, memory_mb: 100_000_000, disk_gb: 10_000_000 };
  await client.must({ method: 'POST', path: '/_emulator/hosts', body: host });
  const quotas = {
    [`/compute/v2.1/os-quota-sets/${project}`]: {
      quota_set: { instances: -1, cores: -1, ram: -1 },
    },
    [`/network/v2.0/quotas/${project}`]: { quota: { port: -1 } },
  };
  for (const [path, body] of Object.entries(quotas))
    await client.must({ method: 'PUT', path, body });
  // The subnets of a new region have only about 250 addresses.
  const network_id = await make('/network/v2.0/networks', 'network', { name: 'wide' });
  const subnet = { network_id, cidr: '10.64.0.0/16', ip_version: 4 };
  await make('/network/v2.0/subnets', 'subnet', subnet);
  const properties = { flavor: 'm1.nano', image: 'cirros', networks: [{ network: 'wide' }] };
  const spec = { type: 'os.nova.server', version: '1.0', properties };
  const profile_id = await make('/clustering/v1/profiles', 'profile', { name: 'p', spec });
  const cluster = await make('/clustering/v1/clusters', 'cluster', { name: 'c', profile_id });
  return { build: folder ?? 'this', peer, client, cluster, counter };
}

interface Shown {
  readonly status: string;
  readonly status_reason: string;
  readonly nodes: readonly string[];
}

/** What a resize takes until the cluster is active again: its time, CPU time, and statements. */
interface Cost {
  readonly wall: number;
  readonly cpu: number;
  readonly statements: number;
}

async function resize({ client, peer, cluster, counter }: Side, number: number): Promise<Cost> {
  const path = `/clustering/v1/clusters/${cluster}`;
  const counted = await counter.count(peer.pid!);
  const [started, before] = [performance.now(), cpuOf(peer.pid!)];
  await client.must({
    method: 'POST',
    path: `${path}/actions`,
    body: { resize: { adjustment_type: 'EXACT_CAPACITY', number } },
  });
  for (;;) {
    const { cluster: shown } = (await client.must({ method: 'GET', path })) as { cluster: Shown };
    if (shown.status === 'ACTIVE' && shown.nodes.length === number) {
      const [wall, cpu] = [performance.now() - started, cpuOf(peer.pid!) - before];
      return { wall, cpu, statements: (await counter.count(peer.pid!)) - counted };
    }
    if (shown.status !== 'RESIZING')
      throw new Error(
        `the cluster is ${shown.status} with ${shown.nodes.length} nodes: ${shown.status_reason}`,
      );
  }
}

const sides: Side[] = [];
for (const folder of [undefined, ...values.with]) sides.push(await start(folder));
console.log(`Node ${process.version}; medians of ${values.rounds} rounds\n`);
console.log(
  '| nodes | build | ms a node up | its CPU, ms | its statements ' +
    '| ms a node down | its CPU, ms | its statements |\n' +
    '|---|---|---|---|---|---|---|---|',
);
for (const size of values.sizes.split(',').map(Number)) {
  const costs = sides.map((): Cost[][] => [[], []]);
  for (let round = -Number(values['warm-up']); round < Number(values.rounds); round++)
    for (const [at, side] of sides.entries())
      for (const [index, number] of [size, 0].entries()) {
        const cost = await resize(side, number);
        if (round >= 0) costs[at]![index]!.push(cost);
      }
  for (const [at, { build }] of sides.entries()) {
    const cells = costs[at]!.flatMap((direction) =>
      (['wall', 'cpu', 'statements'] as const).map((what) =>
        (median(direction.map((cost) => cost[what])) / size).toFixed(2),
      ),
    );
    console.log(`| ${size} | ${build} | ${cells.join(' | ')} |`);
  }
}
for (const { client, peer, counter } of sides) {
  client.close();
  await peer.stop();
  counter.remove();
}
