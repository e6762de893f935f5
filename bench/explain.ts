// Measures what explanations cost: successful decisions with and without explanations of all of
// them, failures beside successes, and the explanation of candidates in a large region
// (npm run bench:explain).
import { parseArgs } from 'node:util';
import { cirrosId } from '../src/services/image/index.ts';
import { clientFor, type Client } from './client.ts';
import { cpuOf } from './cpu.ts';
import { startCumulet, type Peer } from './cumulet.ts';
import { median } from './statistics.ts';

const { values } = parseArgs({
  options: {
    hosts: { type: 'string', default: '100' },
    /** The number of hosts for the last row. */
    large: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '20' },
  },
});
const rounds = Number(values.rounds);

/** How many rounds precede those that are measured. */
const warmUp = 3;

const startWith = (hosts: string): Promise<Peer> =>
  startCumulet('mysql://unused', 'unused', 1, ['--database', 'memory:', '--hosts', hosts]);

/** A client of a service of a running emulator. */
const clientAt = ({ origin }: Peer, path: string, service: string, newest: string): Client =>
  clientFor(origin.replace('/placement', path), { service, newest });

/** The CPU time of the emulator for work, in ms. */
async function cpuFor({ pid }: Peer, work: () => Promise<unknown>): Promise<number> {
  const before = cpuOf(pid!);
  await work();
  return cpuOf(pid!) - before;
}

interface Load {
  readonly name: string;
  /** How often it is sent in a round. */
  readonly perRound: number;
  /** Sends one request, or a few that belong together. */
  readonly send: () => Promise<unknown>;
}

/** Measures a load with explanations of failures only, and of everything, in alternating rounds. */
async function compare(peer: Peer, { name, perRound, send }: Load): Promise<void> {
  const found = { off: [] as number[], on: [] as number[] };
  const { origin } = new URL(peer.origin);
  for (let round = 0; round < warmUp + rounds; round++)
    for (const state of ['off', 'on'] as const) {
      await fetch(`${origin}/_emulator/explain`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ all: state === 'on' }),
      });
      const spent = await cpuFor(peer, async () => {
        for (let index = 0; index < perRound; index++) await send();
      });
      if (round >= warmUp) found[state].push(spent / perRound);
    }
  const [off, on] = [median(found.off), median(found.on)];
  console.log(`| ${name} | ${off.toFixed(2)} | ${on.toFixed(2)} | ${(on / off).toFixed(2)} |`);
}

async function measureDecisions(): Promise<void> {
  const peer = await startWith(values.hosts);
  const compute = clientAt(peer, '/compute/v2.1', 'compute', '2.90');
  const placement = clientAt(peer, '/placement', 'placement', '1.39');
  const quota_set = { instances: -1, cores: -1, ram: -1 };
  await compute.must({ method: 'PUT', path: '/os-quota-sets/bench', body: { quota_set } });
  const fields = { name: 'server', imageRef: cirrosId, networks: 'none' };
  const flavor = { name: 'impossible', vcpus: 1000, ram: 1, disk: 0 };
  const made = await compute.must({ method: 'POST', path: '/flavors', body: { flavor } });
  const { id } = (made as { flavor: { id: string } }).flavor;
  const candidates = '/allocation_candidates?limit=1000&resources=MEMORY_MB:1,VCPU:';
  const createAndDelete = (flavorRef: string) => async (): Promise<void> => {
    const body = { server: { ...fields, flavorRef } };
    const created = await compute.must({ method: 'POST', path: '/servers', body });
    const { server } = created as { server: { id: string } };
    await compute.must({ method: 'DELETE', path: `/servers/${server.id}` });
  };
  console.log(`| load at ${values.hosts} hosts | failures explained | all explained | ratio |`);
  console.log('|---|---|---|---|');
  for (const load of [
    { name: 'a server, created and deleted', perRound: 20, send: createAndDelete('42') },
    {
      name: 'a server without a host, created and deleted',
      perRound: 20,
      send: createAndDelete(id),
    },
    { name: 'candidates', perRound: 200, send: () => placement.drain(`${candidates}1`) },
    { name: 'candidates, none', perRound: 200, send: () => placement.drain(`${candidates}1000`) },
  ])
    await compare(peer, load);
  for (const client of [compute, placement]) client.close();
  await peer.stop();
}

/** Explains a query in a large region, which offers no candidate. */
async function measureLarge(): Promise<void> {
  const peer = await startWith(values.large);
  const query = encodeURIComponent('resources=VCPU:1000');
  const path = `/_emulator/explain/candidates?query=${query}`;
  const spent: number[] = [];
  for (let index = 0; index < 5; index++) {
    const began = performance.now();
    const reply = await fetch(new URL(peer.origin).origin + path);
    if (!reply.ok) throw new Error(`${reply.status} ${await reply.text()}`);
    await reply.arrayBuffer();
    spent.push(performance.now() - began);
  }
  console.log(
    `\nThe explanation of a query that ${values.large} providers reject takes ` +
      `${median(spent).toFixed(0)} ms.`,
  );
  await peer.stop();
}

console.log(`Node ${process.version}, SQLite in memory; CPU time in ms, medians\n`);
await measureDecisions();
await measureLarge();
