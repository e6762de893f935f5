// The test suites: which files each of `npm test`, `npm run test:quick`, `npm run test:all` and
// `npm run suite:races` runs.

/** The test files that a command runs. */
export interface Suite {
  readonly command: string;
  /** Whether the tests run on MySQL too, if it is installed. */
  readonly mysql: boolean;
  /** Files that took longer than this when they last ran are left out; seconds. */
  readonly limit?: number;
  /** Whether the fuzzing tests send each operation one invalid value in sixteen. */
  readonly sampled?: boolean;
  /** Whether a file, named from test/ on, belongs to the suite. */
  readonly has: (file: string) => boolean;
}

/** Every microversion, tenant isolation, fuzzing and real clients: not part of `npm test`. */
const isWide = (file: string): boolean =>
  /^(contract\/(tenant-isolation|every-microversion|fuzzing)|clients)\//.test(file);

/**
 * The suites with a command of their own, `npm run suite:<name>`: they take longer than two minutes,
 * or need services of their own. A file belongs to the first that has it.
 */
const separate: Readonly<Record<string, Pick<Suite, 'mysql' | 'has'>>> = {
  /** Every pair of writes to one resource: thousands of races. Also races for hosts and quotas. */
  races: {
    mysql: true,
    has: (file) => /^(contract\/races\/|services\/.*races?\.test\.ts$)/.test(file),
  },
  /** Each list and map of each request body with n and with 4n elements. */
  inputs: { mysql: false, has: isIn('contract/linear-inputs/') },
  /** The client libraries of Python and Go, the package as npm installs it, and openstacksdk. */
  libraries: {
    mysql: false,
    has: (file) => /^clients\/(python|go|package|openstacksdk)\//.test(file),
  },
  /** Commands that start emulators again and again, or wait for them. */
  commands: {
    mysql: true,
    has: (file) =>
      /^cli\/(capture.*|commands|config-file|detached|doctor|tour|workers)\.test\.ts$/.test(file),
  },
  /** Wrong values for every column of an import, in a cloud with all kinds of resources. */
  imports: { mysql: false, has: isIn('contract/imports/') },
  /** Processes that are killed, and databases that fail, at every step of a long operation. */
  failures: {
    mysql: true,
    has: (file) =>
      /^(services|emulator)\/.*(failures|kills|killed-reset|\/atomic|random-leases)\.test\.ts$/.test(
        file,
      ),
  },
  /** Compiling these tests takes longer than running them. */
  gophercloud: { mysql: false, has: isIn('clients/gophercloud/') },
  /** Each test of the command `nova` starts a Python interpreter several times. */
  novaclient: { mysql: false, has: isIn('clients/novaclient/') },
  /** The real Placement and the scheduler of the real Nova, for hundreds of random clouds. */
  oracles: { mysql: false, has: isIn('conformance/') },
  /** A real Nova, with RabbitMQ and a database of its own. */
  nova: { mysql: false, has: isIn('clients/nova/') },
  /** Tempest in each region. */
  tempest: { mysql: false, has: isIn('clients/tempest/') },
  /** Tempest in the central region: it repeats the tests of Compute, Network and Block Storage. */
  centre: { mysql: false, has: isIn('clients/centre/tempest.test.ts') },
  /** Each preset with its assertions, and presets with thousands of servers. */
  presets: { mysql: true, has: (file) => /^clients\/(large-)?presets\//.test(file) },
  /** The commands of the documentation, each page twice in the same folder. */
  docs: { mysql: false, has: isIn('clients/docs.test.ts') },
  /** The container image, built from Debian's packages and the registry. */
  image: { mysql: false, has: isIn('image/') },
  /** Debian's Horizon in Debian's Chromium. */
  horizon: { mysql: false, has: isIn('clients/horizon/') },
  /** Debian's Heat, with its API and its engine. */
  heat: { mysql: false, has: isIn('clients/heat/') },
  /** The page of the emulator in Debian's Chromium. */
  page: { mysql: false, has: isIn('page/') },
};

function isIn(path: string): (file: string) => boolean {
  return (file) => file.startsWith(path);
}

const isSeparate = (file: string): boolean => Object.values(separate).some(({ has }) => has(file));

/** Whether a file declares a suite for each service, so that the services can run in parallel. */
export const sharded = (file: string): boolean =>
  /^contract\/(every-microversion|fuzzing)\//.test(file);

const main = (file: string): boolean => !isWide(file) && !isSeparate(file);
const wide = (file: string): boolean => isWide(file) && !isSeparate(file);

export const suites: Readonly<Record<string, Suite>> = {
  quick: { command: 'npm run test:quick', mysql: false, limit: 20, has: main },
  main: { command: 'npm test', mysql: true, has: main },
  all: { command: 'npm run test:all', mysql: false, sampled: true, has: wide },
  wide: { command: 'npm run suite:wide', mysql: true, has: wide },
  ...Object.fromEntries(
    Object.entries(separate).map(([name, suite]) => [
      name,
      { command: `npm run suite:${name}`, ...suite },
    ]),
  ),
  everything: { command: 'npm run test:all -- --everything', mysql: true, has: () => true },
};
