// Which operations the tests have called, at which versions: what api-ref/COVERAGE.md is made of.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Contract, type Operation } from '../../src/kernel/contract/contract.ts';
import { inSpan, type Version } from '../../src/kernel/microversion.ts';
import { packageRoot } from '../../src/kernel/package-root.ts';
import { ownDefinitions as cards } from '../../src/services/index.ts';
import { absentTable } from './absent.ts';
import type { Service, ServiceDefinition } from '../../src/kernel/model.ts';

/** Versions by service and operation. */
export const covered = new Map<string, Map<string, Set<string>>>();

/** Takes down that a test has called an operation. */
export function recordCoverage(
  { definition }: Service,
  { id }: Pick<Operation, 'id'>,
  version: Version,
): void {
  add(definition.name, id, version.name);
}

function add(service: string, id: string, version: string): void {
  const operations = covered.get(service) ?? new Map<string, Set<string>>();
  covered.set(service, operations);
  operations.set(id, (operations.get(id) ?? new Set<string>()).add(version));
}

/** Adds what a worker of a run has taken down. */
export function mergeCoverage(
  other: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>,
): void {
  for (const [service, operations] of Object.entries(other))
    for (const [id, versions] of Object.entries(operations))
      for (const version of versions) add(service, id, version);
}

/**
 * Holds api-ref/COVERAGE.md against a run of `npm run test:all`, or writes it where
 * `CUMULET_WRITE_COVERAGE=1` asks for that.
 * @returns how many of the two do not agree
 */
export function reportCoverage(): 0 | 1 {
  const path = join(packageRoot(), 'api-ref', 'COVERAGE.md');
  const text = [opening, ...cards.map(tableOf)].join('\n');
  if (process.env['CUMULET_WRITE_COVERAGE'] === '1') writeFileSync(path, text);
  if (readFileSync(path, 'utf8') === text) return 0;
  console.log(
    '✘ api-ref/COVERAGE.md is not what the tests cover: write it with ' +
      'CUMULET_WRITE_COVERAGE=1 npm run test:all',
  );
  return 1;
}

const opening =
  '# Coverage\n\nEvery operation, the versions that have it, and those at which the sweep ' +
  'and the wrong input have called it and held its reply\n' +
  'against the api-ref: the first, the last, and each that changes it; and what is absent, ' +
  'by absent.yaml. Written by\n' +
  '`CUMULET_WRITE_COVERAGE=1 npm run test:all`.\n';

function tableOf({ name, description, routes, versions }: ServiceDefinition): string {
  const contract = new Contract(name);
  /** The versions that have an operation, by its name. */
  const spans = new Map<string, Set<string>>();
  for (const { method, path, span } of routes) {
    for (const at of versions.list.filter((version) => inSpan(version, span, versions))) {
      const { id } = contract.operation(method, path, at);
      spans.set(id, (spans.get(id) ?? new Set()).add(at.name));
    }
  }
  const ranges = (names: ReadonlySet<string>): string =>
    rangesOf(
      versions.list.map((version) => version.name),
      names,
    );
  const rows = [...spans].map(
    ([id, inside]) =>
      `| ${id} | ${ranges(inside)} | ${ranges(covered.get(name)?.get(id) ?? new Set())} |`,
  );
  return (
    `## ${description}\n\n| operation | versions | tested at ` +
    `|\n|---|---|---|\n${rows.join('\n')}\n${absentTable(name)}`
  );
}

/** `1.0 – 1.6, 1.9`, of the names in `all` that are in `some`. */
function rangesOf(all: readonly string[], some: ReadonlySet<string>): string {
  const runs: string[][] = [];
  all.forEach((name, index) => {
    if (!some.has(name)) return;
    if (index > 0 && some.has(all[index - 1]!)) runs.at(-1)!.push(name);
    else runs.push([name]);
  });
  return (
    runs.map((run) => (run.length > 1 ? `${run[0]} – ${run.at(-1)}` : run[0])).join(', ') ||
    'not at all'
  );
}
