// The test suites: which files each of `npm test`, `npm run test:quick`, `npm run test:all` and
// `npm run suite:races` runs.

/** The test files that a command runs. */
export interface Suite {
  readonly command: string;
  /** Whether the tests run on MySQL too, if it is installed. */
  readonly mysql: boolean;
  /** Files that took longer than this when they last ran are left out; seconds. */
  readonly limit?: number;
  /** Whether a file, named from test/ on, belongs to the suite. */
  readonly has: (file: string) => boolean;
}

/** Every microversion, tenant isolation, fuzzing and real clients: not part of `npm test`. */
const wide = (file: string): boolean =>
  /^(contract\/(tenant-isolation|every-microversion|fuzzing)|clients)\//.test(file);

/**
 * Every pair of writes to one resource: thousands of races on MySQL, which take longer than all
 * other suites.
 */
const races = (file: string): boolean => file.startsWith('contract/races/');

/** Gophercloud's tests: compiling them takes longer than running them. */
const gophercloud = (file: string): boolean => file.startsWith('clients/gophercloud/');

/** A real Nova, with RabbitMQ and a database of its own. */
const nova = (file: string): boolean => file.startsWith('clients/nova/');

/** Wrong values for every column of an import, in a cloud with all kinds of resources. */
const imports = (file: string): boolean => file.startsWith('contract/imports/');

/** The suites that have a command of their own. */
const separate = (file: string): boolean => wide(file) || races(file) || imports(file);

/** Whether a file declares a suite for each service, so that the services can run in parallel. */
export const sharded = (file: string): boolean =>
  /^contract\/(every-microversion|fuzzing)\//.test(file);

export const suites: Readonly<Record<string, Suite>> = {
  quick: {
    command: 'npm run test:quick',
    mysql: false,
    limit: 20,
    has: (file) => !separate(file),
  },
  main: { command: 'npm test', mysql: true, has: (file) => !separate(file) },
  all: {
    command: 'npm run test:all',
    mysql: false,
    has: (file) => wide(file) && !gophercloud(file) && !nova(file),
  },
  wide: {
    command: 'npm run suite:wide',
    mysql: true,
    has: (file) => wide(file) && !gophercloud(file) && !nova(file),
  },
  imports: { command: 'npm run suite:imports', mysql: false, has: imports },
  races: { command: 'npm run suite:races', mysql: true, has: races },
  gophercloud: { command: 'npm run suite:gophercloud', mysql: false, has: gophercloud },
  nova: { command: 'npm run suite:nova', mysql: false, has: nova },
  everything: { command: 'npm run test:all -- --everything', mysql: true, has: () => true },
};
