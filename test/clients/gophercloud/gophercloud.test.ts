// Runs the acceptance tests of gophercloud, the library of Terraform's provider, against a started
// server: one test for each package.
import { assert } from 'chai';
import { Exceptions } from '../suites/exceptions.ts';
import { startServer, type Server } from '../server.ts';
import { findGophercloud, type Gophercloud } from './go.ts';
import { prepare } from './prepare.ts';

/**
 * Packages of `acceptance/openstack` for services that the emulator has. No release has all of
 * them.
 */
const packages = [
  'identity/v3',
  'compute/v2',
  'imageservice/v2',
  'image/v2',
  'networking/v2',
  'networking/v2/extensions',
  'networking/v2/extensions/agents',
  'networking/v2/extensions/layer3',
  'networking/v2/extensions/mtu',
  'networking/v2/extensions/networkipavailabilities',
  'networking/v2/extensions/portsbinding',
  'networking/v2/extensions/quotas',
  'networking/v2/extensions/subnetpools',
  'blockstorage',
  'blockstorage/v3',
  'blockstorage/extensions',
  'placement/v1',
  'clustering/v1',
];

/** Flags of the emulator. Some tests wait until they see a server in a transitional state. */
const flags = ['--latency', 'server.reboot=3s', '--latency', 'server.rebuild=3s'];

describe('gophercloud', function () {
  const exceptions = new Exceptions([new URL('exceptions.yaml', import.meta.url)]);
  let server: Server | undefined;
  let gophercloud: Gophercloud | undefined;
  let environment: Readonly<Record<string, string>>;

  before(async function () {
    const found = await findGophercloud();
    if (typeof found === 'string') {
      console.log(`    skipped: gophercloud: ${found}`);
      return this.skip();
    }
    gophercloud = found;
    exceptions.selectRelease(found.release);
    server = await startServer(flags);
    environment = await prepare(server.authUrl.replace(/\/identity\/v3$/, ''));
  });

  after(async () => {
    if (!exceptions.empty)
      console.log(
        `    gophercloud ${gophercloud?.release} with ${gophercloud?.version}: ` +
          exceptions.summary,
      );
    exceptions.write();
    await server?.stop();
  });

  for (const name of packages)
    it(name, async function () {
      if (!gophercloud!.has(name)) return this.skip();
      exceptions.record(await gophercloud!.run(name, environment));
    });

  it('has no unnecessary exceptions', () => assert.deepEqual(exceptions.unnecessary, []));
});
