// Tests of many clients that create servers concurrently, through two processes on one MySQL: the
// limits of groups and hosts are never exceeded.
import { expect } from 'chai';
import { cirrosId } from '../../../../src/services/image/index.ts';
import { onTwoProcesses } from '../../../support/processes.ts';

interface Answer {
  readonly status: number;
  readonly body: Record<string, never>;
}

async function ask(
  origin: string,
  service: string,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const headers = {
    'x-auth-token': 'admin',
    'openstack-api-version': service === 'compute' ? 'compute 2.104' : 'placement 1.39',
    ...(body ? { 'content-type': 'application/json' } : {}),
  };
  const response = await fetch(`${origin}/${service}${path}`, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  return { status: response.status, body: (text ? JSON.parse(text) : {}) as Answer['body'] };
}

interface Server {
  readonly id: string;
  readonly status: string;
  readonly 'OS-EXT-SRV-ATTR:host': string | null;
}

onTwoProcesses('servers through two processes on one MySQL', ['--hosts', '5'], (started) => {
  it('enforces the rules of groups, and allocates exactly what the servers use #server-groups-18', async () => {
    const origins = started();
    const quotas = { quota_set: { instances: -1, cores: -1, ram: -1, server_group_members: -1 } };
    await ask(origins[0], 'compute', 'PUT', '/v2.1/os-quota-sets/admin', quotas);
    const groups: string[] = [];
    for (const most of [1, 2, 3]) {
      const server_group = {
        name: `g${most}`,
        policy: 'anti-affinity',
        rules: { max_server_per_host: most },
      };
      const reply = await ask(origins[0], 'compute', 'POST', '/v2.1/os-server-groups', {
        server_group,
      });
      groups.push(reply.body['server_group']!['id']);
    }
    const group = { 'os:scheduler_hints': { group: '' } };
    const client = async (number: number): Promise<void> => {
      for (let index = 0; index < 5; index++) {
        const hints = { ...group, 'os:scheduler_hints': { group: groups[(number + index) % 3] } };
        const server = {
          name: `s-${number}-${index}`,
          flavorRef: '42',
          imageRef: cirrosId,
          networks: 'none',
        };
        const reply = await ask(
          origins[(number + index) % 2]!,
          'compute',
          'POST',
          '/v2.1/servers',
          { server, ...hints },
        );
        expect(reply.status, JSON.stringify(reply.body)).to.equal(202);
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, number) => client(number)));
    const { servers } = (await ask(origins[1], 'compute', 'GET', '/v2.1/servers/detail'))
      .body as unknown as {
      servers: Server[];
    };
    expect(servers).to.have.length(100);
    expect([...new Set(servers.map(({ status }) => status))].toSorted()).to.deep.equal([
      'ACTIVE',
      'ERROR',
    ]);
    const placed = new Map(servers.map((server) => [server.id, server['OS-EXT-SRV-ATTR:host']]));
    for (const [index, most] of [1, 2, 3].entries()) {
      const shown = await ask(
        origins[index % 2]!,
        'compute',
        'GET',
        `/v2.1/os-server-groups/${groups[index]}`,
      );
      const members = shown.body['server_group']!['members'] as string[];
      const counts = new Map<string, number>();
      for (const member of members) {
        const host = placed.get(member);
        if (host) counts.set(host, (counts.get(host) ?? 0) + 1);
      }
      expect([...counts.values()], `a rule of ${most}`).to.deep.equal([
        most,
        most,
        most,
        most,
        most,
      ]);
    }
    const used = { VCPU: 0, MEMORY_MB: 0, DISK_GB: 0 };
    const { resource_providers: providers } = (
      await ask(origins[0], 'placement', 'GET', '/resource_providers')
    ).body as unknown as { resource_providers: { uuid: string }[] };
    for (const { uuid } of providers) {
      const { usages } = (
        await ask(origins[0], 'placement', 'GET', `/resource_providers/${uuid}/usages`)
      ).body as unknown as {
        usages: typeof used;
      };
      for (const name of Object.keys(used) as (keyof typeof used)[])
        used[name] += usages[name] ?? 0;
    }
    const active = servers.filter(({ status }) => status === 'ACTIVE').length;
    expect(active).to.equal(5 + 10 + 15);
    expect(used).to.deep.equal({ VCPU: active, MEMORY_MB: active * 192, DISK_GB: active });
  });
});
