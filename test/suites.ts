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

/** Tempest in the central region: it repeats the tests of Compute, Network and Block Storage. */
const centre = (file: string): boolean => file === 'clients/centre/tempest.test.ts';

/** Wrong values for every column of an import, in a cloud with all kinds of resources. */
const imports = (file: string): boolean => file.startsWith('contract/imports/');

/** Presets with thousands of servers, which take minutes. */
const large = (file: string): boolean => file.startsWith('clients/large-presets/');

/** Builds the container image from Debian's packages and the registry, which takes minutes. */
const image = (file: string): boolean => file.startsWith('image/');

/** The page of the emulator in Debian's Chromium. */
const page = (file: string): boolean => file.startsWith('page/');

/** The suites that have a command of their own. */
const separate = (file: string): boolean =>
  wide(file) || races(file) || imports(file) || image(file) || page(file);

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
    has: (file) => wide(file) && ![gophercloud, nova, centre, large].some((is) => is(file)),
  },
  wide: {
    command: 'npm run suite:wide',
    mysql: true,
    has: (file) => wide(file) && ![gophercloud, nova, centre, large].some((is) => is(file)),
  },
  imports: { command: 'npm run suite:imports', mysql: false, has: imports },
  races: { command: 'npm run suite:races', mysql: true, has: races },
  gophercloud: { command: 'npm run suite:gophercloud', mysql: false, has: gophercloud },
  centre: { command: 'npm run suite:centre', mysql: false, has: centre },
  large: { command: 'npm run suite:large', mysql: true, has: large },
  image: { command: 'npm run suite:image', mysql: false, has: image },
  page: { command: 'npm run suite:page', mysql: false, has: page },
  nova: { command: 'npm run suite:nova', mysql: false, has: nova },
  everything: { command: 'npm run test:all -- --everything', mysql: true, has: () => true },
};
