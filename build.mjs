// Builds dist/: the program as one file, because loading a thousand files took a third of its start
// time, and its entry point, which checks the version of Node.js; then the API descriptions as JSON.
import { readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const { metafile } = await build({
  entryPoints: ['main', 'run', 'node-version', 'compile-api-ref'].map(
    (name) => `src/cli/${name}.ts`,
  ),
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  minifyWhitespace: true, // names are kept for stack traces in the log
  sourcemap: true,
  metafile: true,
  logLevel: 'warning',
  // Pino may start a worker from its own file. The others are the drivers of Knex: only mysql2 is
  // installed, and it is loaded on first use.
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
  // CommonJS libraries load the modules of Node with `require`, which an ES module does not define.
  banner: {
    js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
  },
});

// What the bundle contains of other packages, for the audit (.ci/audit.mjs).
const folders = Object.keys(metafile.inputs).flatMap(
  (file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [],
);
const bundled = [...new Set(folders)].sort().map((folder) => {
  const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  return { path: folder.slice(folder.indexOf('node_modules/')), name, version };
});
writeFileSync('dist/bundled.json', `${JSON.stringify(bundled, undefined, 2)}\n`);

const { refusalOfNode } = await import('./dist/node-version.js');
const refusal = refusalOfNode(process.versions.node);
if (refusal === undefined) {
  await import('./dist/compile-api-ref.js');
} else {
  console.error(refusal);
  process.exitCode = 1;
}
