// Asks the registry for known vulnerabilities of what a release contains: the packages that it
// loads at run time, and those in the bundle (dist/bundled.json, which the build writes). Other
// packages for development are left out. Without an answer, the audit is skipped.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';

const readJson = (file) => JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'));

/** The report of `npm audit`, which exits with 1 if it finds anything. */
const report = await new Promise((resolve) => {
  const options = { timeout: 60_000, maxBuffer: 1 << 26 };
  execFile('npm', ['audit', '--json'], options, (_error, stdout) => {
    try {
      resolve(JSON.parse(stdout));
    } catch {
      resolve({});
    }
  });
});
const { packages } = readJson('package-lock.json');
const released = new Set([
  ...readJson('dist/bundled.json').map(({ path }) => path),
  ...Object.keys(packages).filter((path) => path !== '' && !packages[path].dev),
]);
console.log(`${released.size} packages are part of a release.`);
if (!report.vulnerabilities) {
  console.log(`Skipped: no answer. ${report.message ?? report.error?.summary ?? ''}`);
} else {
  const found = Object.values(report.vulnerabilities).filter(({ nodes }) =>
    nodes.some((path) => released.has(path)),
  );
  for (const { name, severity, range, via } of found) {
    const reasons = via.map((one) => (typeof one === 'string' ? one : `${one.title} ${one.url}`));
    console.log(`${severity}: ${name} ${range}: ${reasons.join('; ')}`);
  }
  console.log(`${found.length} of them have known vulnerabilities.`);
  process.exitCode = found.length ? 1 : 0;
}
