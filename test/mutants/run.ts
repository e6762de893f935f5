// Applies each mutant to a copy of the project and checks that the test that it names fails.
// Usage: npm run test:mutants [-- FILTER...]. A FILTER is an area such as volume, the path of its
// YAML file, or part of a mutant's name. Without a filter all mutants run.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { areas, placesOf, readMutants, selectMutants, type Mutant } from './mutants.ts';

interface Results {
  readonly passes: readonly { readonly title: string }[];
  readonly failures: readonly { readonly title: string }[];
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const needed = [
  'src',
  'migrations',
  'api-ref',
  'test',
  'package.json',
  'tsconfig.json',
  '.mocharc.json',
];
const timeoutMs = 5 * 60_000;

/** Copies the project to a temporary directory that shares its node_modules. */
function copyProject(): string {
  const copy = mkdtempSync(join(tmpdir(), 'cumulet-mutants-'));
  for (const part of needed) cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/**
 * Applies a mutant to the copy.
 * @returns a function that undoes it
 * @throws Error unless its expression matches exactly once
 */
function mutate(copy: string, mutant: Mutant): () => void {
  const places = placesOf(copy, mutant);
  if (places.length !== 1)
    throw new Error(`/${mutant.find}/ matches ${places.length} places in src instead of one`);
  const { file, text, from, to } = places[0]!;
  writeFileSync(file, text.slice(0, from) + mutant.replace + text.slice(to));
  return () => writeFileSync(file, text);
}

/** Runs a test file on SQLite. @returns its results; undefined if it crashed or timed out */
function test(copy: string, file: string): Promise<Results | undefined> {
  const output = join(copy, 'results.json');
  rmSync(output, { force: true });
  const mocha = join('node_modules', 'mocha', 'bin', 'mocha.js');
  const child = spawn(
    process.execPath,
    [mocha, file, '--reporter', 'json', '--reporter-option', `output=${output}`],
    {
      cwd: copy,
      env: { ...process.env, CUMULET_TEST_DATABASE: 'none' },
      stdio: 'ignore',
      detached: true,
    },
  );
  return new Promise((resolve, reject) => {
    const watch = setTimeout(() => {
      process.kill(-child.pid!, 'SIGKILL');
      resolve(undefined);
    }, timeoutMs);
    child.once('error', reject);
    child.once('exit', () => {
      clearTimeout(watch);
      try {
        resolve(JSON.parse(readFileSync(output, 'utf8')) as Results);
      } catch {
        resolve(undefined);
      }
    });
  });
}

const has = (tests: readonly { readonly title: string }[], title: string): boolean =>
  tests.some((one) => one.title === title);

/** Why the mutant survived; undefined if the test that it names failed. */
async function judge(copy: string, mutant: Mutant): Promise<string | undefined> {
  const title = mutant['killed by'];
  const undo = mutate(copy, mutant);
  const results = await test(copy, mutant.run).finally(undo);
  if (!results) return `${mutant.run} crashed or timed out`;
  if (has(results.failures, title)) return undefined;
  return has(results.passes, title)
    ? `"${title}" still passes`
    : `${mutant.run} has no test "${title}"`;
}

/** Runs the test files without any mutant. @returns how many tests fail, which must be none */
async function checkUnmutated(copy: string, files: Iterable<string>): Promise<number> {
  let failed = 0;
  for (const file of files) {
    const failures = (await test(copy, file))?.failures ?? [{ title: 'the whole file' }];
    for (const { title } of failures) console.log(`✘ ${file} fails without any mutant: ${title}`);
    failed += failures.length;
  }
  return failed;
}

async function run(mutants: readonly Mutant[]): Promise<void> {
  const copy = copyProject();
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  const failed = await checkUnmutated(copy, new Set(mutants.map((mutant) => mutant.run)));
  let survivors = 0;
  for (const mutant of mutants) {
    const problem = await judge(copy, mutant).catch((error: Error) => error.message);
    if (problem !== undefined) survivors++;
    const name = `${mutant.area}: ${mutant.name}`;
    console.log(problem === undefined ? `✔ killed: ${name}` : `✘ SURVIVED: ${name}: ${problem}`);
  }
  console.log(`${mutants.length - survivors} of ${mutants.length} mutants killed.`);
  process.exitCode = failed || survivors ? 1 : 0;
}

const filters = process.argv.slice(2);
const selected = selectMutants(readMutants(), filters);
if (selected.length) await run(selected);
else {
  console.error(
    `No mutant matches ${filters.join(' or ')}. Give an area or part of a name. ` +
      `Areas: ${areas.join(', ')}.`,
  );
  process.exitCode = 1;
}
