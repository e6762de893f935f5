// Runs Tricircle's plugin of the real command line client against a started server with a central
// region.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from 'chai';
import { readCaseFiles } from '../cases.ts';
import { startClients, type Clients } from '../clients.ts';
import { startServer, type Server } from '../server.ts';

const checkout = process.env['CUMULET_TEST_TRICIRCLECLIENT'];
const lacking =
  'set CUMULET_TEST_TRICIRCLECLIENT to a checkout of python-tricircleclient at HEAD~1, ' +
  'its last commit with code';

/**
 * Writes the package metadata that pip would write for a checkout, so that the client finds the
 * plugin.
 */
function describePlugin(folder: string, source: string): void {
  const setup = readFileSync(join(source, 'setup.cfg'), 'utf8');
  const points = /^\[entry_points\]\n([\s\S]*?)(?=^\[|$(?![\s\S]))/m.exec(setup)?.[1] ?? '';
  const groups = points.replaceAll(/^(\S+) =$/gm, '[$1]').replaceAll(/^ +/gm, '');
  const info = join(folder, 'tricircleclient-1.0.0.dist-info');
  mkdirSync(info);
  writeFileSync(join(info, 'entry_points.txt'), groups);
  writeFileSync(
    join(info, 'METADATA'),
    'Metadata-Version: 2.1\nName: tricircleclient\nVersion: 1.0.0\n',
  );
}

describe("Tricircle's plugin", function () {
  let folder: string;
  let server: Server | undefined;
  let clients: Clients | undefined;

  before(async function () {
    folder = mkdtempSync(join(tmpdir(), 'cumulet-tricircleclient-'));
    if (checkout) describePlugin(folder, checkout);
    const started = await startClients(
      checkout ? { PYTHONPATH: [checkout, folder].join(':') } : {},
    );
    const why =
      typeof started === 'string'
        ? started
        : 'tricircleclient' in started.hello.versions
          ? undefined
          : lacking;
    if (typeof started !== 'string') clients = started;
    if (why !== undefined) {
      console.log(`    skipped: Tricircle's plugin: ${why}`);
      this.skip();
    }
    server = await startServer(['--regions', 'CentralRegion,RegionOne,RegionTwo']);
  });

  after(async () => {
    clients?.stop();
    await server?.stop();
    rmSync(folder, { recursive: true });
  });

  for (const file of readCaseFiles(new URL('cases/', import.meta.url)))
    describe(`${file.name}: ${file.about}`, () => {
      for (const one of file.cases)
        it(one.name, async function () {
          assert(clients !== undefined && server !== undefined);
          const outcome = await clients.run(one, server.authUrl, {
            OS_REGION_NAME: 'CentralRegion',
          });
          if (outcome.skipped !== undefined) this.skip();
          if (outcome.failure !== undefined) assert.fail(outcome.failure);
        });
    });
});
