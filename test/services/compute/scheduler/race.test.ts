// Tests of 64 concurrent requests for servers of one group, through four processes on one MySQL.
import { expect } from 'chai';
import { cirrosId } from '../../../../src/services/image/index.ts';
import { onProcesses } from '../../../support/processes.ts';

const count = 64;

interface Server {
  readonly id: string;
  readonly status: string;
  readonly 'OS-EXT-SRV-ATTR:host': string | null;
  readonly addresses: Readonly<Record<string, readonly { readonly addr: string }[]>>;
}

async function ask<T>(origin: string, method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${origin}/compute/v2.1${path}`, {
    method,
    headers: {
      'x-auth-token': 'admin',
      'openstack-api-version': 'compute 2.104',
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  expect(response.status, `${method} ${path}: ${text}`).to.be.lessThan(300);
  return JSON.parse(text) as T;
}

onProcesses(4, 'compute: concurrent servers of a group', ['--hosts', String(count)], (started) => {
  it('places every server on a host of its own, with an address of its own #server-groups-18', async () => {
    // Every request succeeds because Placement and Network receive the number of the attempt, and
    // lock before they read once the first attempt has failed.
    const origins = started();
    const quota_set = { instances: -1, cores: -1, ram: -1, server_group_members: -1 };
    await ask(origins[0]!, 'PUT', '/os-quota-sets/admin', { quota_set });
    const server_group = { name: 'race', policy: 'anti-affinity' };
    const made = await ask<{ server_group: { id: string } }>(
      origins[0]!,
      'POST',
      '/os-server-groups',
      { server_group },
    );
    const group = made.server_group.id;
    await Promise.all(
      Array.from({ length: count }, (_, index) =>
        ask(origins[index % origins.length]!, 'POST', '/servers', {
          server: { name: `s${index}`, flavorRef: '42', imageRef: cirrosId, networks: 'auto' },
          'os:scheduler_hints': { group },
        }),
      ),
    );
    const { servers } = await ask<{ servers: Server[] }>(origins[1]!, 'GET', '/servers/detail');
    expect(servers.map(({ status }) => status)).to.deep.equal(
      Array.from({ length: count }, () => 'ACTIVE'),
    );
    expect(new Set(servers.map((server) => server['OS-EXT-SRV-ATTR:host'])).size).to.equal(count);
    const addresses = servers.flatMap((server) =>
      Object.values(server.addresses)
        .flat()
        .map(({ addr }) => addr),
    );
    expect(new Set(addresses).size).to.equal(count);
  });
});
