// The command line of Cumulet, for tests that run it as a process of its own.

/**
 * Arguments of Node.js: the program that test/run.ts has built, or else the sources, which take
 * several seconds to compile at each start.
 */
export const program: readonly string[] = process.env['CUMULET_TEST_PROGRAM']?.split(' ') ?? [
  '--import',
  'tsx',
  'src/cli/main.ts',
];
