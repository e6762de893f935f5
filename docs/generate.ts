// Writes the lists of absent operations into the pages of the services: `npx tsx docs/generate.ts`.
// With --check it only reports pages that are not up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../src/kernel/package-root.ts';
import { absent } from '../test/support/absent.ts';

/** The page of each service of OpenStack. */
export const pages: Readonly<Record<string, string>> = {
  identity: 'identity',
  placement: 'placement',
  compute: 'compute',
  image: 'image',
  network: 'network',
  volume: 'block-storage',
  reservation: 'reservation',
  clustering: 'clustering',
  tricircle: 'tricircle',
};

const begin = '<!-- generated from api-ref/absent.yaml by docs/generate.ts -->';
const end = '<!-- end of the generated part -->';

export const fileOf = (service: string): string =>
  join(packageRoot(), 'docs', 'services', `${pages[service]}.md`);

/** The table of absent operations of a service. */
function absentPart(service: string): string {
  const parts = absent[service]!;
  if (!parts.length) return 'Nothing is absent.';
  const rows = parts.map(
    ({ name, operations }) => `| ${name} | ${operations.map((one) => `\`${one}\``).join('<br>')} |`,
  );
  return ['| absent | operations |', '|---|---|', ...rows].join('\n');
}

/** The page of a service with an up-to-date table. @throws Error if a marker is missing */
export function generatedPage(service: string): string {
  const text = readFileSync(fileOf(service), 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from)
    throw new Error(`${fileOf(service)} needs the lines '${begin}' and '${end}'.`);
  return `${text.slice(0, from + begin.length)}\n\n${absentPart(service)}\n\n${text.slice(to)}`;
}

function main(): void {
  const stale = Object.keys(pages).filter(
    (service) => readFileSync(fileOf(service), 'utf8') !== generatedPage(service),
  );
  if (process.argv.includes('--check')) {
    for (const service of stale)
      console.error(`${fileOf(service)} is not up to date: run npx tsx docs/generate.ts.`);
    process.exitCode = stale.length ? 1 : 0;
  } else for (const service of stale) writeFileSync(fileOf(service), generatedPage(service));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
