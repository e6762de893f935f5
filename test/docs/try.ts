import { readPages } from './pages.ts';
import { PageRunner } from './runner.ts';
const [name, twice] = process.argv.slice(2);
for (const page of readPages().filter((p) => p.name.includes(name!))) {
  const runner = new PageRunner();
  for (let i = 0; i < (twice ? 2 : 1); i++)
  for (const o of await runner.run(page)) console.log(`${page.name}:${o.block.line}`, o.skipped ? `SKIP ${o.skipped}` : (o.failure ?? 'ok'));
  await runner.close();
}
