// What the tests of client libraries compare: a library's operations, parameters and types.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A client library, as read from its sources. */
export interface Library {
  readonly version?: string;
  /** Its table of operations: `POST /faults` by operationId. */
  readonly operations: Readonly<Record<string, string>>;
  /** The parameters of the method that sends an operation, by operationId. */
  readonly parameters: Readonly<Record<string, readonly string[]>>;
  /** The fields of its types, by the name of the schema. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
}

/** The texts of the source files in a folder, joined. */
export const sourcesIn = (folder: string, named: RegExp): string =>
  readdirSync(folder)
    .filter((name) => named.test(name))
    .toSorted()
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
