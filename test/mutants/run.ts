// Makes each mistake of mutants.yaml in a copy of the house, and fails where the test that names
// the behaviour does not catch it.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { placesOf, readMutants, type Mutant } from './mutants.ts';

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
const patienceMs = 5 * 60_000;

/** A copy of the house in a folder of its own, with the same libraries. */
function copyOf(): string {
  const copy = mkdtempSync(join(tmpdir(), 'cumulet-mutants-'));
  for (const part of needed) cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/**
 * Makes the mistake in the copy; the function that is given back takes it out again.
 * @throws Error unless there is one place for it
 */
function mutate(copy: string, mutant: Mutant): () => void {
  const places = placesOf(copy, mutant);
  if (places.length !== 1)
    throw new Error(`/${mutant.find}/ stands in ${places.length} places of src, and not in one`);
  const { file, text, from, to } = places[0]!;
  writeFileSync(file, text.slice(0, from) + mutant.replace + text.slice(to));
  return () => writeFileSync(file, text);
}

/** What the tests of a file came to, on SQLite; undefined where they did not end. */
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
    }, patienceMs);
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

/** What is wrong with a mutant; undefined where the test that is named for it kills it. */
async function judge(copy: string, mutant: Mutant): Promise<string | undefined> {
  const title = mutant['killed by'];
  const undo = mutate(copy, mutant);
  const results = await test(copy, mutant.run).finally(undo);
  if (!results) return `${mutant.run} does not end`;
  if (has(results.failures, title)) return undefined;
  return has(results.passes, title)
    ? `"${title}" passes all the same`
    : `${mutant.run} has no test "${title}"`;
}

const mutants = readMutants();
const copy = copyOf();
process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
let alive = 0;
for (const file of new Set(mutants.map(({ run }) => run))) {
  const failures = (await test(copy, file))?.failures ?? [{ title: 'all of it' }];
  for (const { title } of failures) console.log(`✘ ${file} fails without a mistake: ${title}`);
  alive += failures.length;
}
for (const mutant of mutants) {
  const problem = await judge(copy, mutant).catch((error: Error) => error.message);
  if (problem !== undefined) alive++;
  console.log(
    problem === undefined ? `✔ killed: ${mutant.name}` : `✘ ALIVE: ${mutant.name}: ${problem}`,
  );
}
process.exitCode = alive ? 1 : 0;
