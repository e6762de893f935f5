// Walks through the central region with the program in `gophercloud/`. It signs in as a tenant who
// knows no pod; the administrator fills and maintains the pods between its steps.
import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findGophercloud } from '../gophercloud/go.ts';
import { startServer, type Server } from '../server.ts';
import { administerPods, podRegions, type Pods } from './pods.ts';
import { tenantEnvironment } from './tenant.ts';

const source = fileURLToPath(new URL('gophercloud', import.meta.url));
const servers = ['vm0', 'vm1', 'vm2', 'vm3', 'vm4'];

describe('gophercloud in the central region', function () {
  let folder: string | undefined;
  let server: Server | undefined;
  let pods: Pods;
  let environment: Readonly<Record<string, string>>;

  before(async function () {
    if (process.env['CUMULET_TEST_SERVER']) this.skip(); // no other cloud has these pods
    const found = await findGophercloud();
    if (typeof found === 'string' || found.release === '2') {
      const reason = typeof found === 'string' ? found : 'the program is not written for release 2';
      console.log(
        `    skipped: gophercloud: ${reason} ` +
          '(Debian: golang-go and golang-github-gophercloud-gophercloud-dev)',
      );
      return this.skip();
    }
    folder = mkdtempSync(join(tmpdir(), 'cumulet-gophercloud-'));
    await found.build(source, join(folder, 'tenant'));
    server = await startServer(['--profile', 'six-pods']);
    const origin = server.authUrl.replace('/identity/v3', '');
    pods = await administerPods(origin);
    // Gophercloud has one domain for the user and the project.
    environment = { ...tenantEnvironment(origin), OS_DOMAIN_NAME: 'Default' };
  });

  after(async () => {
    await server?.stop();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  /**
   * Runs a step of the program.
   * @returns the lines that it prints
   * @throws Error with its output if it fails
   */
  const tenant = async (step: string, names: readonly string[] = []): Promise<string[]> => {
    const child = spawn(join(folder!, 'tenant'), [step, ...names], { env: environment });
    let output = '';
    child.stdout.on('data', (data: Buffer) => (output += data.toString()));
    child.stderr.on('data', (data: Buffer) => (output += data.toString()));
    const code = await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    expect(code, output).to.equal(0);
    return output.trimEnd().split('\n');
  };

  const each = (done: string): string[] => servers.map((name) => `${done} ${name}`);

  it('finds only the central region in the catalog', async () => {
    expect(await tenant('catalog')).to.deep.equal(['region CentralRegion']);
  });

  it('creates an image, a key pair, a network with a router, and a security group', async () => {
    expect(await tenant('prepare')).to.deep.equal([
      'image',
      'key pair',
      'network with a subnet',
      'router',
      'security group with a rule',
    ]);
  });

  it('boots servers with volumes in three pods that fill or are maintained', async () => {
    const lines = await tenant('boot', ['vm0', 'vm1']);
    await pods.exhaust('Pod1');
    lines.push(...(await tenant('boot', ['vm2'])));
    await pods.changePod('Pod2', { is_under_maintenance: true });
    lines.push(...(await tenant('boot', ['vm3'])));
    await pods.changePod('Pod2', { is_under_maintenance: false });
    await pods.changePod('Pod3', { is_under_maintenance: true });
    lines.push(...(await tenant('boot', ['vm4'])));
    await pods.changePod('Pod3', { is_under_maintenance: false });

    expect(lines).to.deep.equal(each('server'));
    expect(await pods.serversIn('Pod1')).to.deep.equal(['vm0', 'vm1']);
    expect(await pods.serversIn('Pod2')).to.deep.equal(['vm2', 'vm4']);
    expect(await pods.serversIn('Pod3')).to.deep.equal(['vm3']);
  });

  it('lists the servers and volumes of all pods in pages of two', async () => {
    expect(await tenant('list', servers)).to.deep.equal(['servers', 'volumes', 'key pairs']);
  });

  it('filters servers by name, status and image, and volumes by name', async () => {
    expect(await tenant('filter', servers)).to.deep.equal([...each('found'), 'found by image']);
  });

  it('shows each server with its image, key pair, security group and volume', async () => {
    expect(await tenant('show', servers)).to.deep.equal(each('shown'));
  });

  it('gives each server an address of its own', async () => {
    expect(await tenant('addresses', servers)).to.deep.equal(each('address of'));
  });

  it('moves a floating IP between servers in three pods', async () => {
    const lines = ['vm0', 'vm2', 'vm3'].map((name) => `floating IP of ${name}`);
    expect(await tenant('move', ['vm0', 'vm2', 'vm3'])).to.deep.equal([
      ...lines,
      'floating IP deleted',
    ]);
  });

  it('deletes servers and volumes, and then what they used', async () => {
    const deleted = [...each('deleted'), 'no servers and volumes'];
    expect(await tenant('delete', servers)).to.deep.equal(deleted);
    expect(await tenant('clean')).to.deep.equal([
      'router',
      'network with its subnet',
      'security group',
      'key pair and image',
    ]);
    for (const region of podRegions) {
      expect(await pods.serversIn(region), region).to.deep.equal([]);
      expect(await pods.networksIn(region), region).to.deep.equal([]);
    }
  });
});
