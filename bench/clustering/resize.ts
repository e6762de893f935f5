// Measures the resize of a cluster from nothing to many nodes and back, in memory (npm run
// bench:clusters).
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { startEmulator } from '../../test/support/processes.ts';

const { values } = parseArgs({
  options: { sizes: { type: 'string', default: '10,100,300,1000' } },
});
const host = { name: 'host', vcpus: 100_000, memory_mb: 100_000_000, disk_gb: 10_000_000 };

const emulator = await startEmulator([
  '--database',
  'memory:',
  '--auth',
  'noauth2',
  '--hosts',
  '0',
  '--log-level',
  'silent',
]);

async function ask(path: string, method = 'GET', body?: unknown): Promise<Record<string, never>> {
  const headers = {
    'x-auth-token': 'admin',
    'content-type': 'application/json',
    'openstack-api-version': 'clustering 1.14',
  };
  const reply = await fetch(emulator.origin + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
  return (await reply.json()) as Record<string, never>;
}

const idOf = (made: Record<string, never>, noun: string): string =>
  (made[noun] as unknown as { id: string }).id;

await ask('/_emulator/hosts', 'POST', host);
await ask('/compute/v2.1/os-quota-sets/admin', 'PUT', {
  quota_set: { instances: -1, cores: -1, ram: -1 },
});
await ask('/network/v2.0/quotas/admin', 'PUT', { quota: { port: -1 } });
// The subnets of a new region have only about 250 addresses.
const network = idOf(
  await ask('/network/v2.0/networks', 'POST', { network: { name: 'wide' } }),
  'network',
);
const subnet = { network_id: network, cidr: '10.64.0.0/16', ip_version: 4 };
await ask('/network/v2.0/subnets', 'POST', { subnet });
const properties = { flavor: 'm1.nano', image: 'cirros', networks: [{ network: 'wide' }] };
const spec = { type: 'os.nova.server', version: '1.0', properties };
const profile = idOf(
  await ask('/clustering/v1/profiles', 'POST', { profile: { name: 'p', spec } }),
  'profile',
);
const cluster = idOf(
  await ask('/clustering/v1/clusters', 'POST', { cluster: { name: 'c', profile_id: profile } }),
  'cluster',
);

interface Shown {
  readonly status: string;
  readonly status_reason: string;
  readonly nodes: readonly string[];
}

/** Seconds until the cluster is active with this number of nodes. */
async function resize(number: number): Promise<number> {
  const started = performance.now();
  await ask(`/clustering/v1/clusters/${cluster}/actions`, 'POST', {
    resize: { adjustment_type: 'EXACT_CAPACITY', number },
  });
  for (;;) {
    const { cluster: shown } = (await ask(`/clustering/v1/clusters/${cluster}`)) as unknown as {
      cluster: Shown;
    };
    if (shown.status === 'ACTIVE' && shown.nodes.length === number)
      return (performance.now() - started) / 1000;
    if (shown.status !== 'RESIZING')
      throw new Error(
        `the cluster is ${shown.status} with ${shown.nodes.length} nodes: ${shown.status_reason}`,
      );
  }
}

const each = (seconds: number, size: number): string =>
  `${seconds.toFixed(2)} s (${((seconds * 1000) / size).toFixed(1)} ms a node)`;

for (const size of values.sizes.split(',').map(Number)) {
  const up = await resize(size);
  const down = await resize(0);
  console.log(`${size} nodes: ${each(up, size)} up, ${each(down, size)} down`);
}
await emulator.stop();
