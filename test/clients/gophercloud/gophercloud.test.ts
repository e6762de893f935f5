// Gophercloud's acceptance tests, which Terraform's provider rests on, against a started server:
// every package is a test.
import { assert } from 'chai';
import { Exceptions } from '../suites/exceptions.ts';
import { startServer, type Server } from '../server.ts';
import { findGophercloud, type Gophercloud } from './go.ts';
import { prepare } from './prepare.ts';

/**
 * Packages of `acceptance/openstack` with tests of services that the emulator has; no release has
 * all of them.
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

/** Of the emulator: some tests wait until they see that a server is changed. */
const flags = ['--latency', 'server.reboot=3s', '--latency', 'server.rebuild=3s'];

describe('gophercloud', function () {
  const exceptions = new Exceptions(new URL('exceptions.yaml', import.meta.url));
  let server: Server | undefined;
  let gophercloud: Gophercloud | undefined;
  let environment: Readonly<Record<string, string>>;

  before(async function () {
    const found = await findGophercloud();
    if (typeof found === 'string') {
      console.log(`    gophercloud is not run: ${found}`);
      return this.skip();
    }
    gophercloud = found;
    exceptions.ofRelease(found.release);
    server = await startServer(flags);
    environment = await prepare(server.authUrl.replace(/\/identity\/v3$/, ''));
  });

  after(async () => {
    if (!exceptions.empty)
      console.log(
        `    gophercloud ${gophercloud?.release} with ${gophercloud?.version}: ` +
          `${exceptions.summary}`,
      );
    exceptions.write();
    await server?.stop();
  });

  for (const name of packages)
    it(name, async function () {
      if (!gophercloud!.has(name)) return this.skip();
      exceptions.keep(await gophercloud!.run(name, environment));
    });

  it('passes what no exception is needed for', () => assert.deepEqual(exceptions.needless, []));
});
