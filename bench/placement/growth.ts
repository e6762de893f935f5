// Measures how times grow with the cloud: the same loads at 1,000, 10,000 and 50,000 trees (npm run
// bench:growth).
import { parseArgs } from 'node:util';
import { startMysql } from '../../test/support/mysql.ts';
import { loadTrees } from './bulk.ts';
import { clientFor } from '../client.ts';
import { loads } from './loads.ts';
import { startCumulet } from '../cumulet.ts';
import { median } from '../statistics.ts';

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000,50000' },
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
  },
});
const sizes = values.sizes.split(',').map(Number);
const chosen = [
  '(a)',
  '(b) gate query, limit=10',
  '(b) gate query, limit=1000',
  '(f) GET a provider',
].map((name) => loads.find((load) => load.name.startsWith(name))!);

const mysql = await startMysql();
if (!mysql) throw new Error('This needs MariaDB or MySQL: install mariadb-server.');
const table = new Map<string, number[]>(chosen.map(({ name }) => [name, []]));
try {
  for (const size of sizes) {
    const began = performance.now();
    const hosts = await loadTrees(mysql.url, `growth_${size}`, size);
    console.error(`${size} trees loaded in ${((performance.now() - began) / 1000).toFixed(1)} s`);
    const peer = await startCumulet(mysql.url, `growth_${size}`, 2);
    const client = clientFor(peer.origin);
    for (const load of chosen) {
      const rates: number[] = [];
      for (let round = 0; round < Number(values.rounds); round++)
        rates.push(await load.run(client, { hosts }, Number(values.seconds)));
      table.get(load.name)!.push(median(rates));
    }
    client.close();
    await peer.stop();
  }
} finally {
  await mysql.stop();
}
console.log(
  `Node ${process.version}, ${mysql.version}; 2 processes; per second, ` +
    `medians of ${values.rounds} rounds of ${values.seconds} s\n`,
);
console.log(
  `| load | ${sizes.map((size) => `${size} trees`).join(' | ')} | first ÷ last |\n` +
    `|---|${sizes.map(() => '---|').join('')}---|`,
);
for (const [name, rates] of table)
  console.log(
    `| ${name} | ${rates.map((rate) => rate.toFixed(1)).join(' | ')} ` +
      `| ${(rates[0]! / rates.at(-1)!).toFixed(2)} |`,
  );
