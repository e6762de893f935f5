// Which operations the tests have called, at which versions: what api-ref/COVERAGE.md is made of.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Contract } from '../../src/kernel/http/contract.ts';
import { inSpan } from '../../src/kernel/microversion.ts';
import { packageRoot } from '../../src/kernel/root.ts';
import { cards } from '../../src/services/index.ts';
import type { Call, Card } from '../../src/kernel/model.ts';

/** Versions by service and operation. */
export const covered = new Map<string, Map<string, Set<string>>>();

/** Takes down that a test has called an operation. */
export function recordCoverage(call: Call): void {
  const service = call.service.card.name;
  const operations = covered.get(service) ?? new Map<string, Set<string>>();
  covered.set(service, operations);
  const versions = operations.get(call.operation!.id) ?? new Set<string>();
  operations.set(call.operation!.id, versions.add(call.at.name));
}

/** Writes api-ref/COVERAGE.md after a run of all tests, where `CUMULET_WRITE_COVERAGE=1` asks for it. */
export function writeCoverage(): void {
  if (process.env['CUMULET_WRITE_COVERAGE'] !== '1') return;
  const opening =
    '# Coverage\n\nEvery operation, the versions that have it, and those at which the tests have called it and held its reply against the api-ref.\n' +
    'Written by `CUMULET_WRITE_COVERAGE=1 npm test`.\n';
  writeFileSync(join(packageRoot(), 'api-ref', 'COVERAGE.md'), [opening, ...cards.map(tableOf)].join('\n'));
}

function tableOf({ name, description, routes, versions }: Card): string {
  const contract = new Contract(name);
  /** The versions that have an operation, by its name. */
  const spans = new Map<string, Set<string>>();
  for (const { method, path, span } of routes) {
    for (const at of versions.list.filter((version) => inSpan(version, span, versions))) {
      const { id } = contract.operation(method, path, at);
      spans.set(id, (spans.get(id) ?? new Set()).add(at.name));
    }
  }
  const ranges = (names: ReadonlySet<string>): string => rangesOf(versions.list.map((version) => version.name), names); // prettier-ignore
  const rows = [...spans].map(
    ([id, inside]) => `| ${id} | ${ranges(inside)} | ${ranges(covered.get(name)?.get(id) ?? new Set())} |`,
  );
  return `## ${description}\n\n| operation | versions | tested at |\n|---|---|---|\n${rows.join('\n')}\n`;
}

/** `1.0 – 1.6, 1.9`, of the names in `all` that are in `some`. */
function rangesOf(all: readonly string[], some: ReadonlySet<string>): string {
  const runs: string[][] = [];
  all.forEach((name, index) => {
    if (!some.has(name)) return;
    if (index > 0 && some.has(all[index - 1]!)) runs.at(-1)!.push(name);
    else runs.push([name]);
  });
  return runs.map((run) => (run.length > 1 ? `${run[0]} – ${run.at(-1)}` : run[0])).join(', ') || 'not at all';
}
