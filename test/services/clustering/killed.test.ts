// Twenty clients that scale five clusters through two processes on MySQL, one of which is killed
// meanwhile: what one began the other ends.
import { expect } from 'chai';
import { databases } from '../../support/databases.ts';
import { startEmulator, type Emulator } from '../../support/processes.ts';
import type { Shown, ShownNode } from './support.ts';

const clients = 20;
const clusters = 5;
const rounds = 4;

type Answer = { status: number; body: Record<string, unknown> };

/** A request as the demo user. @returns undefined where the process does not answer any more */
async function ask(
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

describe('clusters that many scale through two processes, one of which is killed', () => {
  let running: Emulator[] = [];

  before(async function () {
    const url = await databases.freshUrl();
    if (!url) return this.skip();
    const flags = ['--database', url, '--auth', 'noauth2', '--hosts', '0'];
    running = await Promise.all([startEmulator(flags), startEmulator(flags)]);
  });

  after(async () => {
    for (const one of running) await one.stop();
  });

  it('end every action, hold no lock, and have the servers that they want', async () => {
    const [survivor, victim] = running as [Emulator, Emulator];
    const here = survivor.origin;
    await ask(here, 'POST', '/_emulator/hosts', {
      name: 'host',
      vcpus: 1000,
      memory_mb: 1_000_000,
      disk_gb: 10_000,
    });
    await ask(here, 'PUT', '/compute/v2.1/os-quota-sets/demo', {
      quota_set: { instances: -1, cores: -1, ram: -1 },
    });
    const spec = {
      type: 'os.nova.server',
      version: '1.0',
      properties: { flavor: 'm1.nano', image: 'cirros' },
    };
    const made = await ask(here, 'POST', '/clustering/v1/profiles', {
      profile: { name: 'p', spec },
    });
    const { id: profile_id } = made!.body['profile'] as Shown;
    const ids: string[] = [];
    for (let at = 0; at < clusters; at++) {
      const cluster = { name: `c${at}`, profile_id, desired_capacity: 2, max_size: 12 };
      ids.push(
        (
          (await ask(here, 'POST', '/clustering/v1/clusters', { cluster }))!.body[
            'cluster'
          ] as Shown
        ).id,
      );
    }

    const statuses: (number | undefined)[] = [];
    let asked = 0;
    let killed: Promise<unknown> | undefined;
    const client = async (number: number): Promise<void> => {
      for (let round = 0; round < rounds; round++) {
        const origin = killed ? here : [here, victim.origin][number % 2]!;
        const path = `/clustering/v1/clusters/${ids[number % clusters]}/actions`;
        const answer = await ask(origin, 'POST', path, scale(number, round));
        statuses.push(answer?.status);
        // Half of all is asked, and the process is in the middle of it.
        if (++asked === (clients * rounds) / 2) {
          running = [survivor];
          killed = victim.kill();
        }
      }
    };
    await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
    await killed;

    // Refused where an action goes on already; unanswered only where the process was killed.
    for (const status of statuses) expect(status).to.be.oneOf([202, 409, 503, undefined]);
    expect(statuses.filter((status) => status === 202).length).to.be.at.least(clusters);

    // An action that could not have its lock tries again after ten seconds, three times.
    await ask(here, 'POST', '/_emulator/clock/advance', { minutes: 2 });
    const { actions } = (await ask(here, 'GET', '/clustering/v1/actions'))!.body as {
      actions: Shown[];
    };
    const unfinished = actions.filter(({ end_time }) => end_time === null);
    expect(unfinished.map(({ name, status }) => `${name} ${status}`)).to.deep.equal([]);

    const { servers } = (await ask(here, 'GET', '/compute/v2.1/servers'))!.body as {
      servers: { id: string }[];
    };
    const standing: string[] = [];
    for (const id of ids) {
      const { cluster } = (await ask(here, 'GET', `/clustering/v1/clusters/${id}`))!.body as {
        cluster: Shown & { nodes: string[] };
      };
      const { nodes } = (await ask(here, 'GET', `/clustering/v1/nodes?cluster_id=${id}`))!.body as {
        nodes: ShownNode[];
      };
      expect(nodes.length).to.equal(cluster['desired_capacity']);
      expect(cluster.nodes.length).to.equal(nodes.length);
      for (const node of nodes) expect(node.status, node.status_reason).to.equal('ACTIVE');
      standing.push(...nodes.map((node) => node.physical_id!));
      // It can be scaled again at once: nobody holds its lock.
      const again = await ask(here, 'POST', `/clustering/v1/clusters/${id}/actions`, { check: {} });
      expect(again!.status, JSON.stringify(again!.body)).to.equal(202);
    }
    expect(servers.map(({ id }) => id).toSorted()).to.deep.equal(standing.toSorted());
    const { ports } = (await ask(here, 'GET', '/network/v2.0/ports'))!.body as {
      ports: Record<string, string>[];
    };
    const ofServers = ports.filter(({ device_owner: owner }) => owner!.startsWith('compute:'));
    expect(ofServers.map(({ device_id: server }) => server).toSorted()).to.deep.equal(
      standing.toSorted(),
    );
  });
});
