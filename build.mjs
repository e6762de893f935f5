// Builds dist/: the server as one file, because finding and reading a thousand files took a third of its start; then the API descriptions as JSON.
import { build } from 'esbuild';

await build({
  entryPoints: ['src/cli/main.ts', 'src/cli/compile-api-ref.ts'],
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  minifyWhitespace: true, // names stay, for the stacks in the log
  sourcemap: true,
  logLevel: 'warning',
  // Pino may start a worker from its own file; the others are Knex's drivers, of which one is there, and loaded when it is needed.
  external: [
    'pino',
    'mysql',
    'mysql2',
    'mariadb',
    'sqlite3',
    'better-sqlite3',
    'pg',
    'pg-query-stream',
    'tedious',
    'oracledb',
  ],
  // Libraries in CommonJS ask for Node's own modules by `require`, which a module does not have.
  banner: {
    js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
  },
});
await import('./dist/compile-api-ref.js');
