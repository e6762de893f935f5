// Measures how long a replay takes of servers that arrive every ten seconds and stay, and of
// servers that depart (npm run bench:replay).
import { parseArgs } from 'node:util';
import { cpuOf } from './cpu.ts';
import { startCumulet } from './cumulet.ts';

const { values } = parseArgs({
  options: {
    arrivals: { type: 'string', default: '10000' },
    hosts: { type: 'string', default: '1000' },
    /** The folder of another checkout, which has been built; by default this one. */
    of: { type: 'string' },
  },
});
const count = Number(values.arrivals);
const flavors = ['m1.tiny', 'm1.small', 'm1.medium'];

/** Servers of three flavors. Those that depart stay between ten minutes and twelve hours. */
const arrivals = (depart: boolean): object[] =>
  Array.from({ length: count }, (_, index) => ({
    at: index * 10,
    server: { name: 'bench', flavor: flavors[index % flavors.length] },
    ...(depart ? { lasts: 600 + ((index * 7919) % 42_600) } : {}),
  }));

const peer = await startCumulet(
  'mysql://unused',
  'unused',
  1,
  ['--database', 'memory:', '--hosts', values.hosts],
  values.of,
);
console.log(`Node ${process.version}, SQLite in memory, ${values.hosts} hosts\n`);
console.log('| arrivals | accepted | seconds | ms an arrival | CPU, ms an arrival |');
console.log('|---|---|---|---|---|');
for (const depart of [false, true]) {
  const [began, before] = [performance.now(), cpuOf(peer.pid!)];
  const reply = await fetch(`${new URL(peer.origin).origin}/_emulator/replay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-auth-token': 'admin:bench' },
    body: JSON.stringify({ arrivals: arrivals(depart) }),
  });
  if (!reply.ok) throw new Error(`${reply.status} ${await reply.text()}`);
  const { replay } = (await reply.json()) as { replay: { accepted: number } };
  const spent = performance.now() - began;
  console.log(
    `| ${count} ${depart ? 'that depart' : 'that stay'} | ${replay.accepted} ` +
      `| ${(spent / 1000).toFixed(1)} | ${(spent / count).toFixed(2)} ` +
      `| ${((cpuOf(peer.pid!) - before) / count).toFixed(2)} |`,
  );
}
await peer.stop();
