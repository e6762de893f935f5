// cumulet capture of each preset: the captured cloud has the same lists as the preset, and the
// audit finds nothing in it that it does not find in the preset.
import { expect } from 'chai';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  captureInto,
  comparable,
  listsIn,
  signIn,
  writeClouds,
  type Ask,
  type Json,
} from '../../cli/captures.ts';
import { startEmulator, type Emulator } from '../../support/processes.ts';

/** The presets, but for `large-full`: its 20,000 servers take minutes. */
const presets = [
  'autoscaling',
  'devstack',
  'edge-sites',
  'empty',
  'full',
  'gpu-farm',
  'large',
  'reserved',
  'six-pods',
  'three-regions',
  'three-zones',
];

/** The lists of Blazar. */
const leases = ['os-hosts', 'os-hosts/allocations', 'floatingips', 'leases'].map(
  (path) => `/reservation/v1/${path}`,
);

/**
 * The entries of a list as sorted JSON: only the times of rows decide about their order. Leases
 * have no trust in the copy, because no API shows what the trusts of other users allow.
 */
const entriesOf = (list: Json): string[] =>
  Object.values(comparable(list))
    .flat()
    .map((entry) =>
      JSON.stringify(entry, (key, value: unknown) => (key === 'trust_id' ? undefined : value)),
    )
    .toSorted();

/** How many inconsistencies each check of the audit finds. */
const countOf = async (ask: Ask): Promise<Record<string, number>> => {
  const { audit } = await ask('GET', '/_emulator/audit');
  const counts: Record<string, number> = {};
  for (const { check } of audit.inconsistencies as Json[]) counts[check] = (counts[check] ?? 0) + 1;
  return counts;
};

for (const preset of presets)
  describe(`cumulet capture of the preset ${preset}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'cumulet-preset-'));
    let original: Emulator;
    let copy: Emulator;
    let ask: Ask;
    let askCopy: Ask;

    before(async () => {
      original = await startEmulator(['--database', 'memory:', '--preset', preset]);
      writeClouds(folder, original.origin);
      const { code, err } = await captureInto(folder, 'mine', ['--rate', '1000']);
      expect(code, err).to.equal(0);
      const seed = join(folder, 'mine.ndjson');
      copy = await startEmulator(['--database', 'memory:', '--seed', seed]);
      [ask, askCopy] = [await signIn(original.origin), await signIn(copy.origin)];
    });
    after(async () => {
      await Promise.all([original.stop(), copy?.stop()]);
      rmSync(folder, { recursive: true, force: true });
    });

    it('keeps what every service lists', async () => {
      const { projects } = await ask('GET', '/identity/v3/projects?name=admin');
      for (const path of [...listsIn(projects[0].id), ...leases]) {
        const [own, other] = [await ask('GET', path), await askCopy('GET', path)];
        expect(entriesOf(other), path).to.deep.equal(entriesOf(own));
      }
    });

    it('adds no inconsistency', async () => {
      expect(await countOf(askCopy)).to.deep.equal(await countOf(ask));
    });
  });
