// Reads api-ref/absent.yaml, the list of upstream operations that Cumulet does not serve, and
// renders it as tables.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { packageRoot } from '../../src/kernel/package-root.ts';

/**
 * A part of a service's API that Cumulet does not serve. Each operation is a method and a path,
 * plus the action if the path has several.
 */
export interface Absent {
  readonly name: string;
  readonly operations: readonly string[];
}

const text = readFileSync(join(packageRoot(), 'api-ref', 'absent.yaml'), 'utf8');

/** The absent parts of each service. Every service has an entry, even if it is empty. */
export const absent = parse(text) as Readonly<Record<string, readonly Absent[]>>;

/** Renders the absent operations of a service as a table for COVERAGE.md. */
export function absentTable(service: string): string {
  const rows = absent[service]!.map(
    ({ name, operations }) => `| ${name} | ${operations.join('<br>')} |`,
  );
  return rows.length ? `\n| absent | operations |\n|---|---|\n${rows.join('\n')}\n` : '';
}
