// Reads the case files. A case is repeated for each placement version that it names.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

/** A case in the form that `cli.py` reads. README.md describes the keys. */
export interface Case {
  readonly name: string;
  readonly at?: string;
  readonly let?: Readonly<Record<string, unknown>>;
  readonly steps: readonly Step[];
}

export interface CaseFile {
  readonly name: string;
  readonly about: string;
  readonly cases: readonly Case[];
}

type Step = Readonly<Record<string, unknown>>;

const FOLDER = new URL('cases/', import.meta.url);
const FILE_KEYS = 'about cases'.split(' ');
const CASE_KEYS = 'name at when let steps cleanup'.split(' ');
const STEP_KEYS =
  'run with at as since until when within expect json rows has lacks columns stdout stderr save'.split(
    ' ',
  );
const VERSION = /^(default|\d+\.\d+)$/;

export function readCaseFiles(folder = FOLDER): CaseFile[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => readCaseFile(folder, file));
}

function readCaseFile(folder: URL, file: string): CaseFile {
  const { about, cases } = checked(contentOf(folder, file), FILE_KEYS, file);
  if (typeof about !== 'string' || !Array.isArray(cases))
    throw new Error(`${file}: "about" and "cases" are required`);
  return {
    name: file.replace(/\.yaml$/, ''),
    about,
    cases: cases.flatMap((each: unknown) => readCase(each, file)),
  };
}

function contentOf(folder: URL, file: string): unknown {
  try {
    return parse(readFileSync(fileURLToPath(new URL(file, folder)), 'utf8'));
  } catch (error) {
    throw new Error(`${file} is not YAML`, { cause: error });
  }
}

/** One case for each version in `at`. */
function readCase(content: unknown, file: string): Case[] {
  const { name, at, steps, ...rest } = checked(content, CASE_KEYS, file);
  if (typeof name !== 'string' || !Array.isArray(steps))
    throw new Error(`${file}: a case requires "name" and "steps"`);
  const where = `${file}: ${name}`;
  const plain = steps.map((step: unknown) => readStep(step, where));
  if (at === undefined) return [{ ...rest, name, steps: plain }];
  return (Array.isArray(at) ? at : [at]).map((version: unknown) => ({
    ...rest,
    name: `${name} (at ${versionOf(version, where)})`,
    at: versionOf(version, where),
    steps: plain,
  }));
}

function readStep(content: unknown, where: string): Step {
  const step = checked(content, STEP_KEYS, where);
  for (const key of ['at', 'since', 'until'])
    if (step[key] !== undefined) versionOf(step[key], where);
  return step;
}

/** Checks that a version is a quoted string: unquoted, YAML reads 1.10 as the number 1.1. */
function versionOf(version: unknown, where: string): string {
  if (typeof version !== 'string' || !VERSION.test(version))
    throw new Error(`${where}: ${String(version)} is not a quoted version`);
  return version;
}

/** Checks that an object has only known keys: a misspelt expectation would always be met. */
function checked(
  content: unknown,
  keys: readonly string[],
  where: string,
): Record<string, unknown> {
  if (content === null || typeof content !== 'object')
    throw new Error(`${where}: must be an object with ${keys.join(', ')}`);
  const unknown = Object.keys(content).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw new Error(`${where}: unknown key "${unknown}"`);
  return content as Record<string, unknown>;
}
