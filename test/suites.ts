// The suites of tests: which files `npm run test:quick`, `npm test`, `npm run test:all` and `npm run
// test:races` run.

/** What a suite runs. */
export interface Suite {
  readonly command: string;
  /** Whether it runs on MySQL too, where there is one. */
  readonly mysql: boolean;
  /** Whether a file, named from test/ on, belongs to it. */
  readonly has: (file: string) => boolean;
}

/** Sweeps, strangers, wrong input and real clients: what `npm test` leaves out. */
const wide = (file: string): boolean =>
  /^(contract\/(tenant-isolation|every-microversion|fuzzing)|clients)\//.test(file);

/**
 * Every pair of writes on one resource: thousands of races on MySQL, which take longer than all
 * other suites.
 */
const races = (file: string): boolean => file.startsWith('contract/races/');

/**
 * Gophercloud's tests are compiled first, which takes longer than they run: `npm run
 * test:gophercloud`.
 */
const compiled = (file: string): boolean => file.startsWith('clients/gophercloud/');

/**
 * What takes longer than a second or two on SQLite alone: properties of random input, and commands
 * that start processes.
 */
const slow: readonly string[] = [
  'cli/commands.test.ts',
  'contract/api-ref.test.ts',
  'services/compute/servers/agreement.test.ts',
  'services/compute/servers/failures.test.ts',
  'services/placement/candidates-oracle.test.ts',
  'services/reservation/failures.test.ts',
  'services/tricircle/random-bindings.test.ts',
];

export const suites: Readonly<Record<string, Suite>> = {
  quick: {
    command: 'npm run test:quick',
    mysql: false,
    has: (file) => !wide(file) && !races(file) && !slow.includes(file),
  },
  main: { command: 'npm test', mysql: true, has: (file) => !wide(file) && !races(file) },
  wide: { command: 'npm run test:all', mysql: true, has: (file) => wide(file) && !compiled(file) },
  races: { command: 'npm run test:races', mysql: true, has: races },
  everything: { command: 'npm run test:all -- --everything', mysql: true, has: () => true },
};

/**
 * Files that take long, longest first: they begin first, so that no processor waits for one of them
 * at the end.
 */
export const longest: readonly string[] = [
  'clients/tempest/compute-servers.test.ts',
  'clients/tempest/volume-scenario.test.ts',
  'clients/tempest/identity-image-network.test.ts',
  'clients/tempest/compute-admin.test.ts',
  'clients/tempest/compute.test.ts',
  'clients/openstacksdk/openstacksdk.test.ts',
  'clients/tempest/clustering.test.ts',
  ...slow,
];
