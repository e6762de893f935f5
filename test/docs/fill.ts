import { readFileSync, writeFileSync } from 'node:fs';
import { readPages } from './pages.ts';
import { PageRunner } from './runner.ts';
for (const name of process.argv.slice(2)) for (const page of readPages().filter((p) => p.name.endsWith(name))) {
  const runner = new PageRunner(true);
  let text = readFileSync(page.name, 'utf8');
  const outcomes = await runner.run(page);
  for (const o of outcomes) {
    if (o.failure) console.log('FAIL', page.name, o.block.line, o.failure);
    if (o.block.output === '@@') text = text.replace('```text\n@@\n```', () => '```text\n' + (o.output ?? '').trimEnd() + '\n```');
  }
  writeFileSync(page.name, text);
  console.log('filled', page.name);
  await runner.close();
}
