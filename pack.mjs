// Writes the package into a folder: `npm run pack:all`, or `node pack.mjs FOLDER`. The package is
// put together outside of dist/, so that it contains only what runs.
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { existsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { bundle, native } from './bundle.mjs';

process.chdir(import.meta.dirname);
const target = resolve(process.argv[2] ?? 'dist-packages');
const stage = mkdtempSync(join(tmpdir(), 'cumulet-pack-'));
const dist = join(stage, 'dist');

/** The API descriptions as JSON, which is all that the program reads. */
function writeDocuments() {
  const folder = join(dist, 'documents');
  mkdirSync(folder);
  for (const file of readdirSync('api-ref')) {
    const [, name] = /^(?!absent)(.+)\.yaml$/.exec(file) ?? [];
    if (name !== undefined)
      writeFileSync(
        join(folder, `${name}.json`),
        JSON.stringify(parse(readFileSync(join('api-ref', file), 'utf8'))),
      );
  }
}

/** The declarations of the library, whose imports name the files as a program sees them. */
function writeTypes() {
  const folder = join(stage, 'types');
  execFileSync('npx', ['tsc', '-p', 'tsconfig.types.json', '--outDir', folder]);
  const from = join(folder, 'src', 'library');
  mkdirSync(join(dist, 'types'));
  for (const file of readdirSync(from)) {
    if (/^(?:start|defaults)\./.test(file)) continue; // they are not for programs
    const text = readFileSync(join(from, file), 'utf8').replaceAll(/\.ts';$/gm, ".js';");
    // Symbol.asyncDispose is newer than the libraries that a program may compile with.
    const head = file === 'cloud.d.ts' ? '/// <reference lib="esnext.disposable" />\n' : '';
    writeFileSync(join(dist, 'types', file), head + text);
  }
  rmSync(folder, { recursive: true });
}

/** The licenses of the bundled packages, each text once. */
function writeLicenses(packages) {
  const holders = new Map();
  for (const { path, name, version } of packages) {
    const file = readdirSync(path).find((one) => /^licen[cs]e/i.test(one));
    const { license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    const text = file ? readFileSync(join(path, file), 'utf8').trim() : `License: ${license}`;
    holders.set(text, [...(holders.get(text) ?? []), `${name} ${version}`]);
  }
  const parts = [...holders].map(([text, names]) => `${names.join(', ')}\n\n${text}\n`);
  writeFileSync(join(dist, 'licenses.txt'), parts.join(`\n${'-'.repeat(80)}\n\n`));
}

function writeManifest() {
  const own = JSON.parse(readFileSync('package.json', 'utf8'));
  const { name, version, description, license, type, engines, bin, exports } = own;
  const dependencies = Object.fromEntries(native.map((one) => [one, own.dependencies[one]]));
  const manifest = { name, version, description, license, type, engines, bin, exports };
  writeFileSync(
    join(stage, 'package.json'),
    `${JSON.stringify({ ...manifest, dependencies }, undefined, 2)}\n`,
  );
}

try {
  mkdirSync(dist);
  writeLicenses(await bundle(dist, { sourcemap: false }));
  for (const file of ['compile.js', 'bundled.json', 'knex.js'])
    if (existsSync(join(dist, file))) rmSync(join(dist, file));
  writeDocuments();
  execFileSync('node', ['--import', 'tsx', 'src/cli/compile.ts', join(dist, 'schemas')]);
  writeTypes();
  writeManifest();
  for (const file of ['README.md', 'LICENSE']) copyFileSync(file, join(stage, file));
  cpSync('worlds', join(stage, 'worlds'), { recursive: true });
  mkdirSync(target, { recursive: true });
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', stage, '--json', '--pack-destination', target]).toString(),
  );
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;
  console.log(
    `${join(target, packed.filename)}: ${megabytes(packed.size)} packed, ` +
      `${megabytes(packed.unpackedSize)} unpacked, ${packed.entryCount} files`,
  );
} finally {
  rmSync(stage, { recursive: true, force: true });
}
