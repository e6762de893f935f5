// Declares the tests of presets: each is started on each database, and checked with openstacksdk by
// ten assertions, which are in presets.py. They hold again after an export and an import.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { databases, kinds } from '../../support/databases.ts';
import { startEmulator, type Emulator } from '../../support/processes.ts';
import { snapshotsOf } from '../../emulator/snapshots/support.ts';

const execute = promisify(execFile);
const python = '/usr/bin/python3';
const script = fileURLToPath(new URL('presets.py', import.meta.url));

/** The presets that take a minute or more with their export and import. */
export const largePresets: readonly string[] = ['large', 'large-full'];

/** Declares a test of each preset on each database. */
export function checkPresets(title: string, names: readonly string[]): void {
  for (const kind of kinds) {
    describe(`clients: ${title} [${kind}]`, () => {
      let cloud: Emulator | undefined;

      before(async function () {
        const isInstalled = await execute(python, ['-c', 'import openstack']).catch(
          () => undefined,
        );
        if (isInstalled && (kind === 'sqlite' || (await databases.server()))) return;
        console.log('    skipped: openstacksdk or the database is not installed');
        this.skip();
      });

      afterEach(async () => {
        await cloud?.stop();
        cloud = undefined;
      });

      for (const name of names)
        it(`${name} passes ten assertions of openstacksdk, again after export and import`, async () => {
          const database = kind === 'sqlite' ? 'memory:' : (await databases.freshUrl())!;
          cloud = await startEmulator(['--preset', name, '--database', database]);
          const snapshots = snapshotsOf({ url: cloud.origin });
          const document = await snapshots.export();
          const check = async (): Promise<string> => {
            const env = { ...process.env, CUMULET_URL: cloud!.origin };
            const { stdout } = await execute(python, [script, name], { env });
            return stdout;
          };
          expect(await check()).to.equal('10 assertions hold\n');
          await snapshots.import(document).expect(204);
          expect(await check()).to.equal('10 assertions hold\n');
        });
    });
  }
}
