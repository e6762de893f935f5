// Tests clusters that twenty clients scale through two processes on MySQL, one of which is killed.
import { expect } from 'chai';
import { databases } from '../../support/databases.ts';
import { startEmulator, type Emulator } from '../../support/processes.ts';
import type { Shown, ShownNode } from './support.ts';

const clients = 20;
const clusters = 5;
const rounds = 4;

type Answer = { status: number; body: Record<string, unknown> };

/** Sends a request as the demo user. @returns undefined if the process no longer answers */
async function send(
  origin: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer | undefined> {
  const headers = {
    'x-auth-token': 'admin:demo',
    'content-type': 'application/json',
    'openstack-api-version': 'clustering 1.14',
  };
  try {
    const reply = await fetch(origin + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
  } catch {
    return undefined;
  }
}

const scale = (client: number, round: number): object =>
  (client + round) % 3 ? { scale_out: { count: 1 + (round % 2) } } : { scale_in: { count: 1 } };

describe('clusters that are scaled through two processes, one of which is killed', () => {
  let running: Emulator[] = [];

  before(async function () {
    const url = await databases.freshUrl();
    if (!url) return this.skip();
    const flags = ['--database', url, '--auth', 'noauth2', '--hosts', '0'];
    running = await Promise.all([startEmulator(flags), startEmulator(flags)]);
  });

  after(async () => {
    for (const emulator of running) await emulator.stop();
  });

  it('finish every action, release every lock, and have the desired servers', async () => {
    const [survivor, victim] = running as [Emulator, Emulator];
    const here = survivor.origin;
    await send(here, 'POST', '/_emulator/hosts', {
      name: 'host',
      vcpus: 1000,
      memory_mb: 1_000_000,
      disk_gb: 10_000,
    });
    await send(here, 'PUT', '/compute/v2.1/os-quota-sets/demo', {
      quota_set: { instances: -1, cores: -1, ram: -1 },
    });
    const spec = {
      type: 'os.nova.server',
      version: '1.0',
      properties: { flavor: 'm1.nano', image: 'cirros' },
    };
    const made = await send(here, 'POST', '/clustering/v1/profiles', {
      profile: { name: 'p', spec },
    });
    const { id: profile_id } = made!.body['profile'] as Shown;
    const ids: string[] = [];
    for (let at = 0; at < clusters; at++) {
      const cluster = { name: `c${at}`, profile_id, desired_capacity: 2, max_size: 12 };
      ids.push(
        (
          (await send(here, 'POST', '/clustering/v1/clusters', { cluster }))!.body[
            'cluster'
          ] as Shown
        ).id,
      );
    }

    const statuses: (number | undefined)[] = [];
    let requests = 0;
    let killed: Promise<unknown> | undefined;
    const client = async (number: number): Promise<void> => {
      for (let round = 0; round < rounds; round++) {
        const origin = killed ? here : [here, victim.origin][number % 2]!;
        const path = `/clustering/v1/clusters/${ids[number % clusters]}/actions`;
        const answer = await send(origin, 'POST', path, scale(number, round));
        statuses.push(answer?.status);
        // The process is killed after half of the requests, while it runs actions.
        if (++requests === (clients * rounds) / 2) {
          running = [survivor];
          killed = victim.kill();
        }
      }
    };
    await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
    await killed;

    // 409 if an action is running already; no answer only from the process that was killed.
    for (const status of statuses) expect(status).to.be.oneOf([202, 409, 503, undefined]);
    expect(statuses.filter((status) => status === 202).length).to.be.at.least(clusters);

    // An action that could not lock its cluster retries every ten seconds, three times.
    await send(here, 'POST', '/_emulator/clock/advance', { minutes: 2 });
    const { actions } = (await send(here, 'GET', '/clustering/v1/actions'))!.body as {
      actions: Shown[];
    };
    const unfinished = actions.filter(({ end_time }) => end_time === null);
    expect(unfinished.map(({ name, status }) => `${name} ${status}`)).to.deep.equal([]);

    const { servers } = (await send(here, 'GET', '/compute/v2.1/servers'))!.body as {
      servers: { id: string }[];
    };
    const expected: string[] = [];
    for (const id of ids) {
      const { cluster } = (await send(here, 'GET', `/clustering/v1/clusters/${id}`))!.body as {
        cluster: Shown & { nodes: string[] };
      };
      const { nodes } = (await send(here, 'GET', `/clustering/v1/nodes?cluster_id=${id}`))!
        .body as {
        nodes: ShownNode[];
      };
      expect(nodes.length).to.equal(cluster['desired_capacity']);
      expect(cluster.nodes.length).to.equal(nodes.length);
      for (const node of nodes) expect(node.status, node.status_reason).to.equal('ACTIVE');
      expected.push(...nodes.map((node) => node.physical_id!));
      // The next action succeeds at once, because the lock has been released.
      const again = await send(here, 'POST', `/clustering/v1/clusters/${id}/actions`, {
        check: {},
      });
      expect(again!.status, JSON.stringify(again!.body)).to.equal(202);
    }
    expect(servers.map(({ id }) => id).toSorted()).to.deep.equal(expected.toSorted());
    const { ports } = (await send(here, 'GET', '/network/v2.0/ports'))!.body as {
      ports: Record<string, string>[];
    };
    const ofServers = ports.filter(({ device_owner: owner }) => owner!.startsWith('compute:'));
    expect(ofServers.map(({ device_id: server }) => server).toSorted()).to.deep.equal(
      expected.toSorted(),
    );
  });
});
