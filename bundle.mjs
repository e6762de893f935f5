// Bundles the program and the library: few files start faster than a thousand, and need no other
// packages installed.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

/** Packages with native code, which are installed beside the bundle. */
export const native = ['@node-rs/argon2', '@photostructure/sqlite'];

/** Drivers of Knex that are not used. */
const absent = ['mysql', 'mariadb', 'sqlite3', 'better-sqlite3', 'pg', 'pg-query-stream'].concat(
  'tedious',
  'oracledb',
);

/**
 * Libraries that are loaded on first use (src/kernel/lazy.ts), by the file that contains them, so
 * that a start does not read them.
 */
const lazy = {
  'validation.cjs': ['ajv/dist/2020.js', 'ajv-formats/dist/formats.js'].concat(
    'express-openapi-validator',
  ),
  'yaml.cjs': ['yaml'],
  're2js.cjs': ['re2js'],
  'mysql2.cjs': ['mysql2', 'mysql2/promise'],
  'amqplib.cjs': ['amqplib'],
  'xml.cjs': ['@xmldom/xmldom', 'xml-crypto'],
};

/** An expression that loads a lazy library. */
function loadOf(library) {
  const [file] = Object.entries(lazy).find(([, libraries]) => libraries.includes(library));
  return `require('./${file}')['${library}']`;
}

const isLazy = (library) => Object.values(lazy).flat().includes(library);

/** Lets lazy.ts, and the dialect of Knex, load the files above. */
const fromFiles = {
  name: 'lazy libraries',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /\/kernel\/lazy\.ts$/ }, ({ path }) => ({
      loader: 'ts',
      contents: readFileSync(path, 'utf8').replaceAll(
        /(?<!typeof import\()\brequire\('([^']+)'\)/g,
        (call, library) => (isLazy(library) ? loadOf(library) : call),
      ),
    }));
    onResolve({ filter: /^mysql2$/ }, ({ path }) => ({ path, namespace: 'lazy' }));
    onLoad({ filter: /.*/, namespace: 'lazy' }, ({ path }) => ({
      contents: `module.exports = ${loadOf(path)}`,
    }));
    onResolve({ filter: /\.cjs$/, namespace: 'lazy' }, ({ path }) => ({ path, external: true }));
  },
};

/**
 * Leaves out the tables of East Asian character sets, a megabyte: bodies are JSON in UTF-8, and
 * MySQL is asked for utf8mb4.
 */
const unicodeOnly = {
  name: 'no tables of East Asian character sets',
  setup({ onLoad }) {
    onLoad({ filter: /iconv-lite\/encodings\/tables\/.*\.json$/ }, () => ({
      loader: 'js',
      contents: "throw new Error('Cumulet does not support this character set. Use UTF-8.');",
    }));
  },
};

/** Leaves out the media types that no request and no reply here has: most of 2,500. */
const usedMediaTypes = {
  name: 'media types that are used',
  setup({ onLoad }) {
    onLoad({ filter: /mime-db\/db\.json$/ }, ({ path }) => {
      const types = Object.entries(JSON.parse(readFileSync(path, 'utf8')));
      const used = types.filter(([type]) => mediaTypes.test(type));
      return { loader: 'json', contents: JSON.stringify(Object.fromEntries(used)) };
    });
  },
};

const mediaTypes =
  /^(text\/|font\/|image\/(png|svg\+xml)$|multipart\/form-data$|application\/(gzip|javascript|json|octet-stream|x-ndjson|x-www-form-urlencoded|xml|yaml)$)/;

const common = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  metafile: true,
  logLevel: 'warning',
};

/**
 * Writes the bundle to a folder, with the list of the packages in it (bundled.json). Each file
 * replaces an older one as a whole, so that a program can start while another build runs.
 * @param sourcemap whether to write source maps, too
 * @returns the bundled packages
 */
export async function bundle(outdir, options) {
  const fresh = mkdtempSync(`${outdir}-`);
  try {
    const { packages, outputs } = await bundleInto(fresh, options);
    moveFiles(fresh, outdir);
    removeOldChunks(outdir, outputs);
    return packages;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Moves the files of a folder, and of the folders in it. */
function moveFiles(from, to) {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const paths = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) moveFiles(...paths);
    else renameSync(...paths);
  }
}

async function bundleInto(outdir, { sourcemap }) {
  const code = await build({
    ...common,
    entryPoints: {
      main: 'src/cli/main.ts',
      run: 'src/cli/run.ts',
      'node-version': 'src/cli/node-version.ts',
      compile: 'src/cli/compile.ts',
      index: 'src/library/index.ts',
      // No program starts here: the entry point keeps Knex in a file of its own. Node.js keeps 6 to
      // 15 MB more of freed memory after it has compiled both as one file.
      knex: 'node_modules/knex/knex.js',
    },
    outdir,
    format: 'esm',
    splitting: true, // the program and the library share what they both contain
    chunkNames: 'chunk-[hash]',
    minifyWhitespace: true, // names are kept for stack traces in the log
    minifySyntax: true,
    sourcemap,
    external: [...absent, ...native],
    plugins: [fromFiles, unicodeOnly, usedMediaTypes],
    // CommonJS libraries load the modules of Node with `require`, which an ES module does not
    // define.
    banner: {
      js:
        "import { createRequire as makeRequire } from 'node:module'; " +
        'const require = makeRequire(import.meta.url);',
    },
  });
  const libraries = await Promise.all(
    Object.entries(lazy).map(([file, names]) =>
      build({
        ...common,
        stdin: { contents: exportsOf(names), resolveDir: process.cwd() },
        outfile: join(outdir, file),
        format: 'cjs',
        minify: true,
        plugins: [unicodeOnly],
      }),
    ),
  );
  const page = await bundlePage(join(outdir, 'page'));
  const inputs = [code, page, ...libraries].flatMap(({ metafile }) => Object.keys(metafile.inputs));
  const packages = packagesOf(inputs);
  writeFileSync(join(outdir, 'bundled.json'), `${JSON.stringify(packages, undefined, 2)}\n`);
  return { packages, outputs: Object.keys(code.metafile.outputs) };
}

/**
 * Writes the page that browsers open (src/page): a script, a style sheet, and the document that
 * loads them.
 */
async function bundlePage(outdir) {
  mkdirSync(outdir, { recursive: true });
  for (const file of ['index.html', 'icon.svg'])
    copyFileSync(`src/page/${file}`, join(outdir, file));
  return build({
    entryPoints: { page: 'src/page/main.tsx', style: 'src/page/style/index.css' },
    outdir,
    bundle: true,
    minify: true,
    platform: 'browser',
    target: ['es2022', 'chrome110', 'firefox115', 'safari16'],
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    tsconfig: 'src/page/tsconfig.json',
    metafile: true,
    logLevel: 'warning',
  });
}

/** A module that exports libraries, each of which is evaluated on first use. */
const exportsOf = (names) => `module.exports = { ${names.map(getterOf).join(', ')} };`;

const getterOf = (name) => `get '${name}'() { return require('${name}'); }`;

/** Removes the chunks of earlier builds. */
function removeOldChunks(outdir, outputs) {
  const current = new Set(outputs.map((path) => basename(path)));
  for (const file of readdirSync(outdir))
    if (file.startsWith('chunk-') && !current.has(file)) rmSync(join(outdir, file));
}

/** The packages that files belong to. */
function packagesOf(files) {
  const folders = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []);
  return [...new Set(folders)]
    .sort()
    .filter((folder) => existsSync(`${folder}/package.json`))
    .map((folder) => {
      const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
      return { path: folder.slice(folder.indexOf('node_modules/')), name, version };
    });
}
