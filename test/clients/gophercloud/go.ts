// Runs acceptance tests of gophercloud with the installed Go, from Debian's source package.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Result } from '../suites/exceptions.ts';

export interface Gophercloud {
  /** The major version of gophercloud, derived from its path. */
  readonly release: string;
  /** The version of Go. */
  readonly version: string;
  /** Whether this release has the package below `acceptance/openstack`. */
  has(name: string): boolean;
  /** Runs the tests of a package. @returns their results, with names such as `compute.v2.TestX` */
  run(name: string, environment: Environment): Promise<readonly Result[]>;
  /**
   * Compiles the program in a folder to a file.
   * @throws Error with what the compiler reports
   */
  build(folder: string, program: string): Promise<void>;
}

/**
 * The GOPATH of Debian's golang-github-gophercloud-gophercloud-dev. CUMULET_TEST_GOPATH overrides
 * it with another folder that contains `src`.
 */
const gopath = process.env['CUMULET_TEST_GOPATH'] ?? '/usr/share/gocode';
const home = 'github.com/gophercloud/gophercloud';

/** The folders of the acceptance tests by release, newest first. */
const roots = [
  { release: '2', root: `${home}/v2/internal/acceptance/openstack` },
  { release: '1', root: `${home}/internal/acceptance/openstack` },
  { release: '0', root: `${home}/acceptance/openstack` },
];

/** Finds gophercloud and Go. @returns a string that says what is missing */
export async function findGophercloud(): Promise<Gophercloud | string> {
  const has = (path: string): boolean => existsSync(`${gopath}/src/${path}`);
  const found = roots.find(({ root }) => has(root));
  if (!found) return `${gopath} has no gophercloud`;
  const version = await go(['version'], {});
  if (version === '') return 'Go is not installed';
  const { release, root } = found;
  const runIn = (name: string, environment: Environment): Promise<readonly Result[]> =>
    run(`${root}/${name}`, name, environment);
  return {
    release,
    version: version.trim(),
    has: (name) => has(`${root}/${name}`),
    run: runIn,
    build,
  };
}

async function build(folder: string, program: string): Promise<void> {
  const output = await go(['build', '-o', program, '.'], {}, folder);
  if (output !== '') throw new Error(output);
}

type Environment = Readonly<Record<string, string>>;

async function run(
  path: string,
  name: string,
  environment: Environment,
): Promise<readonly Result[]> {
  const results = await runAs(path, name, environment, '.');
  // Some tests require a user who is not an administrator.
  const others = results.filter(
    ({ outcome, message }) => outcome === 'skipped' && message.includes('non-admin'),
  );
  if (!others.length) return results;
  const names = others.map(({ test }) => test.slice(test.lastIndexOf('.') + 1));
  const demo = { ...environment, OS_USERNAME: 'demo', OS_PROJECT_NAME: 'demo' };
  return [
    ...results.filter((one) => !others.includes(one)),
    ...(await runAs(path, name, demo, `^(${names.join('|')})$`)),
  ];
}

/** A line of `go test -json`. */
interface Event {
  readonly Action: string;
  readonly Test?: string;
  readonly Output?: string;
}

const outcomes: Readonly<Record<string, Result['outcome']>> = {
  pass: 'passed',
  skip: 'skipped',
  fail: 'failed',
};

async function runAs(
  path: string,
  name: string,
  environment: Environment,
  pattern: string,
): Promise<readonly Result[]> {
  const args = [
    'test',
    '-tags',
    'acceptance',
    '-count',
    '1',
    '-json',
    '-timeout',
    '0',
    '-run',
    pattern,
    path,
  ];
  const output = await go(args, environment);
  const events = output
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Event] : []));
  const texts = new Map<string, string>();
  const results: Result[] = [];
  for (const { Action, Test, Output } of events) {
    if (Test === undefined || Test.includes('/')) continue;
    if (Output !== undefined) texts.set(Test, (texts.get(Test) ?? '') + Output);
    const outcome = outcomes[Action];
    if (outcome)
      results.push({
        test: `${name.replaceAll('/', '.')}.${Test}`,
        outcome,
        message: texts.get(Test) ?? '',
      });
  }
  if (!results.length) throw new Error(`No results for ${name}: ${output}`);
  return results;
}

/** Runs the go command. @returns its output, empty if the command does not exist */
function go(args: readonly string[], environment: Environment, cwd?: string): Promise<string> {
  const env = { ...process.env, GO111MODULE: 'off', GOPATH: gopath, GOFLAGS: '', ...environment };
  const child = spawn('go', args, { env, cwd });
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  child.stderr.on('data', (data: Buffer) => (output += data.toString()));
  return new Promise((resolve) => {
    child.once('error', () => resolve(''));
    child.once('close', () => resolve(output));
  });
}
