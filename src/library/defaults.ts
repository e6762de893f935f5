// The options of the command line in the library: their own defaults, and those that it leaves out.

/** Defaults that differ from those of the command line, as text: a cloud for tests. */
export const libraryDefaults: Readonly<Record<string, string>> = {
  port: '0',
  database: 'memory:',
  journal: '1000',
};

/** `log` replaces the options of the log, and the cloud is in a single process. */
export const leftOut: readonly string[] = ['workers', 'logLevel', 'logFormat'];
