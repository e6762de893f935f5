// What of upstream's API is not served: api-ref/absent.yaml, and how README and COVERAGE.md say it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { packageRoot } from '../../src/kernel/package-root.ts';

/**
 * A part of a service's API that is absent. An operation is a method and a path, and the action
 * where a path has several.
 */
export interface Absent {
  readonly name: string;
  readonly operations: readonly string[];
}

const text = readFileSync(join(packageRoot(), 'api-ref', 'absent.yaml'), 'utf8');

/** By service; every service is there. */
export const absent = parse(text) as Readonly<Record<string, readonly Absent[]>>;

/** The list of a service in COVERAGE.md. */
export function absentTable(service: string): string {
  const rows = absent[service]!.map(
    ({ name, operations }) => `| ${name} | ${operations.join('<br>')} |`,
  );
  return rows.length ? `\n| absent | operations |\n|---|---|\n${rows.join('\n')}\n` : '';
}
