// Prepares the cloud of the scenarios: hosts in three zones, with capacity for many servers.
import { signIn, type Named } from '../suites/administrator.ts';

/** Prepares the cloud at this address for scenarios of the demo user. */
export async function prepareZones(origin: string): Promise<void> {
  // Two hosts in each zone, so that servers can be resized there, and one in another region.
  const hosts = ['az1', 'az2', 'az3'].flatMap((zone) =>
    [1, 2].map((number) => ({ zone, name: `${zone}-${number}` })),
  );
  for (const host of [...hosts, { zone: 'nova', name: 'far', region: 'RegionTwo' }])
    await fetch(`${origin}/_emulator/hosts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...host, vcpus: 1000, memory_mb: 4_000_000, disk_gb: 100_000 }),
    });
  const ask = await signIn(origin);
  const quota_class_set = { instances: 1000, cores: 1000, ram: 1_024_000 };
  await ask('PUT', '/compute/v2.1/os-quota-class-sets/default', { quota_class_set });
  const { projects } = await ask<{ projects: Named[] }>('GET', '/identity/v3/projects?name=demo');
  const network = { name: 'wide', project_id: projects[0]!.id };
  const { network: made } = await ask<{ network: Named }>('POST', '/network/v2.0/networks', {
    network,
  });
  const subnet = {
    network_id: made.id,
    name: 'wide-subnet',
    cidr: '10.9.0.0/16',
    ip_version: 4,
    project_id: projects[0]!.id,
  };
  await ask('POST', '/network/v2.0/subnets', { subnet });
  await ask('PUT', `/network/v2.0/quotas/${projects[0]!.id}`, { quota: { port: 2000 } });
}
