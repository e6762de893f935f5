// Servers of an anti-affinity group: at most one on each host. There are more writers than hosts.
import { setTimeout as sleep } from 'node:timers/promises';
import { cirrosId } from '../../src/services/image/index.ts';
import type { Scenario, Writer } from './writer.ts';

export const hosts = 48;

const nova = '/compute/v2.1';

interface Server {
  readonly id: string;
  readonly status: string;
  readonly 'OS-EXT-SRV-ATTR:host': string | null;
  readonly fault?: { readonly message: string };
}

export class GroupServers implements Scenario {
  readonly name = `a group on ${hosts} hosts`;
  private group = '';

  async prepare(writer: Writer): Promise<void> {
    const quota_set = { instances: -1, cores: -1, ram: -1, server_group_members: -1 };
    await writer.must('PUT', `${nova}/os-quota-sets/admin`, { quota_set });
    const server_group = { name: 'claims', policy: 'anti-affinity' };
    const made = await writer.must('POST', `${nova}/os-server-groups`, { server_group });
    this.group = made.server_group.id as string;
  }

  /** Each writer has at most one server. */
  async step(writer: Writer): Promise<void> {
    const held = writer.anyHeld();
    if (held !== undefined) return this.remove(writer, held);
    const made = await writer.must('POST', `${nova}/servers`, {
      server: { name: 's', flavorRef: '42', imageRef: cirrosId, networks: 'none' },
      'os:scheduler_hints': { group: this.group },
    });
    if (!made.server) return;
    const server = await this.built(writer, made.server.id as string);
    if (server.status === 'ACTIVE') {
      writer.granted++;
      writer.held.set(server.id, { provider: server['OS-EXT-SRV-ATTR:host']!, amount: 1 });
      return;
    }
    writer.refused++;
    if (!/No valid host/i.test(server.fault?.message ?? ''))
      writer.report(`POST ${nova}/servers`, { status: 202, text: JSON.stringify(server) });
    await this.remove(writer, server.id);
  }

  private async built(writer: Writer, id: string): Promise<Server> {
    for (;;) {
      const { server } = (await writer.must('GET', `${nova}/servers/${id}`)) as { server: Server };
      if (server?.status !== 'BUILD') return server ?? { id, status: 'lost' };
      await sleep(50);
    }
  }

  private async remove(writer: Writer, id: string): Promise<void> {
    await writer.must('DELETE', `${nova}/servers/${id}`);
    writer.held.delete(id);
  }

  async check(writers: readonly Writer[]): Promise<string[]> {
    const [first] = writers as [Writer];
    const { servers } = (await first.must('GET', `${nova}/servers/detail`)) as {
      servers: Server[];
    };
    const problems: string[] = [];
    const held = writers.flatMap((writer) => [...writer.held.keys()]);
    const found = servers.map(({ id }) => id);
    if (found.toSorted().join() !== held.toSorted().join())
      problems.push(`has servers [${found.join()}], granted [${held.join()}]`);
    const used = servers.map((server) => server['OS-EXT-SRV-ATTR:host']);
    if (new Set(used).size < used.length) problems.push(`two servers on one host: ${used.join()}`);
    for (const id of held) {
      const { allocations } = await first.must('GET', `/placement/allocations/${id}`);
      if (Object.keys(allocations as object).length !== 1)
        problems.push(`server ${id} has allocations ${JSON.stringify(allocations)}`);
    }
    return problems;
  }
}
