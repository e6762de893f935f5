// Walks through Tricircle's specification of dynamic pod binding with the command line client. The
// tenant knows the central region only; the administrator fills, maintains and drains pods.
import { assert, expect } from 'chai';
import { cumulet } from '../../kernel/processes.ts';
import { startClients, type Clients } from '../clients.ts';
import { startServer, type Server } from '../server.ts';
import { administerPods, podRegions, type Pods } from './pods.ts';

type Step = Record<string, unknown>;

const servers = Array.from({ length: 10 }, (_, index) => `vm${index}`);

describe('clients: a tenant of the central region', function () {
  let server: Server | undefined;
  let clients: Clients | undefined;
  let pods: Pods;

  before(async function () {
    if (process.env['CUMULET_TEST_SERVER']) this.skip(); // no other cloud has these pods
    const started = await startClients();
    if (typeof started === 'string') {
      console.log(`    skipped: the command line clients are not available: ${started}`);
      this.skip();
    }
    clients = started;
    server = await startServer(['--profile', 'six-pods']);
    pods = await administerPods(server.authUrl.replace('/identity/v3', ''));
  });

  after(async () => {
    clients?.stop();
    await server?.stop();
  });

  /** Runs `openstack` as the tenant, in the central region. */
  const tenant = async (...steps: readonly Step[]): Promise<void> => {
    const as = { username: 'demo', password: 'secret', project_name: 'demo' };
    const outcome = await clients!.run(
      { name: 'tenant', steps: steps.map((step) => ({ as, ...step })) },
      server!.authUrl,
      { OS_REGION_NAME: 'CentralRegion' },
    );
    if (outcome.failure !== undefined) assert.fail(outcome.failure);
  };

  const boot = (name: string): Step => ({
    run:
      'server create --image own --flavor m1.tiny --network own --security-group web ' +
      `--key-name own --wait ${name}`,
    json: { name, status: 'ACTIVE', key_name: 'own' },
  });
  const volume = (of: string): readonly Step[] => [
    { run: `volume create --size 1 data-${of}` },
    { run: `server add volume ${of} data-${of}` },
  ];

  it('creates an image, a key pair, a network with a router, and a security group', async () => {
    await tenant(
      { run: 'image create --file /etc/hosts --disk-format raw --container-format bare own' },
      { run: 'keypair create own' },
      { run: 'network create own', json: { name: 'own', status: 'ACTIVE' } },
      { run: 'subnet create --network own --subnet-range 10.20.0.0/24 own' },
      { run: 'router create own' },
      { run: 'router set --external-gateway public own' },
      { run: 'router add subnet own own' },
      { run: 'security group create web' },
      { run: 'security group rule create --protocol tcp --dst-port 80 web' },
    );
  });

  it('has ten servers with volumes, over three pods that fill or are maintained', async () => {
    await tenant(...servers.slice(0, 4).flatMap((name) => [boot(name), ...volume(name)]));
    await pods.exhaust('Pod1');
    await tenant(...servers.slice(4, 7).flatMap((name) => [boot(name), ...volume(name)]));
    await pods.changePod('Pod2', { is_under_maintenance: true });
    // Compute shows whole seconds, by which the centre sorts the servers of different pods.
    await pods.admin('POST', '/_emulator/clock/advance', { seconds: 1 });
    await tenant(...servers.slice(7, 9).flatMap((name) => [boot(name), ...volume(name)]));
    await pods.changePod('Pod2', { is_under_maintenance: false });
    await pods.changePod('Pod3', { is_under_maintenance: true });
    await tenant(boot('vm9'), ...volume('vm9'));
    await pods.changePod('Pod3', { is_under_maintenance: false });

    expect(await pods.serversIn('Pod1')).to.deep.equal(['vm0', 'vm1', 'vm2', 'vm3']);
    expect(await pods.serversIn('Pod2')).to.deep.equal(['vm4', 'vm5', 'vm6', 'vm9']);
    expect(await pods.serversIn('Pod3')).to.deep.equal(['vm7', 'vm8']);
  });

  it('lists, shows and filters all servers and volumes as those of one cloud', async () => {
    await tenant(
      {
        run: 'server list',
        rows: servers.map((Name) => ({ Name, Status: 'ACTIVE', Image: 'own' })),
      },
      { run: 'server list --name ^vm[78]$', rows: [{ Name: 'vm7' }, { Name: 'vm8' }] },
      { run: 'server stop vm5' },
      { run: 'server list --status SHUTOFF', rows: [{ Name: 'vm5' }] },
      { run: 'server start vm5' },
      {
        run: 'server list --limit 3 --sort-column Name',
        rows: servers.slice(7).map((Name) => ({ Name })),
      },
      {
        run: 'volume list',
        rows: servers.map((name) => ({ Name: `data-${name}`, Status: 'in-use' })),
      },
      { run: 'server show vm8', json: { name: 'vm8', 'OS-EXT-AZ:availability_zone': 'az1' } },
      { run: 'limits show --absolute', has: [{ Name: 'totalInstancesUsed', Value: 10 }] },
      { run: 'catalog list', stdout: '/^(?![\\s\\S]*Pod\\d)/' },
    );
  });

  it('gives each server an address of its own, and a floating IP moves between pods', async () => {
    const { ports } = await pods.admin<{ ports: { fixed_ips: { ip_address: string }[] }[] }>(
      'GET',
      '/CentralRegion/network/v2.0/ports?device_owner=compute:az1',
    );
    const addresses = ports.flatMap((port) => port.fixed_ips.map(({ ip_address }) => ip_address));
    expect(new Set(addresses)).to.have.lengthOf(10);
    await tenant(
      { run: 'floating ip create public', save: { address: 'floating_ip_address' } },
      { run: 'server add floating ip vm0 ${address}' },
      { run: 'server show vm0', stdout: '/${address}/' },
      { run: 'server remove floating ip vm0 ${address}' },
      { run: 'server add floating ip vm8 ${address}' },
      { run: 'server show vm8', stdout: '/${address}/' },
      { run: 'floating ip delete ${address}' },
    );
  });

  it('makes an image of a server, and boots it in another pod', async () => {
    await tenant(
      { run: 'server image create --wait --name saved vm0', json: { status: 'active' } },
      { run: 'server remove volume vm9 data-vm9' },
      { run: 'server delete --wait vm9' },
      { run: 'server create --image saved --flavor m1.tiny --network own --wait copy' },
      { run: 'server delete --wait copy' },
    );
  });

  it('keeps ids, addresses, volumes and power states when a pod is drained', async () => {
    await tenant({ run: 'server stop vm1' });
    interface Shown {
      readonly id: string;
      readonly name: string;
      readonly status: string;
      readonly addresses: object;
      readonly 'os-extended-volumes:volumes_attached': object;
    }
    const read = async (): Promise<object[]> => {
      const path = '/CentralRegion/compute/v2.1/servers/detail?all_tenants=1';
      const { servers: all } = await pods.admin<{ servers: Shown[] }>('GET', path);
      return all
        .map(({ id, name, status, addresses, ...server }) => {
          const volumes = server['os-extended-volumes:volumes_attached'];
          return { id, name, status, addresses, volumes };
        })
        .toSorted((one, other) => (one.name < other.name ? -1 : 1));
    };
    const before = await read();
    await pods.admin('PUT', '/_emulator/tricircle/settings', { migration_step_duration: 0 });
    const origin = server!.authUrl.replace('/identity/v3', '');
    const drained = await cumulet(['pods', 'drain', 'Pod1', '--url', origin]).ended;
    expect(drained.code, drained.out + drained.err).to.equal(0);
    expect(await pods.serversIn('Pod1')).to.deep.equal([]);
    expect(await read()).to.deep.equal(before);
    await tenant(
      { run: 'server start vm1' },
      { run: 'server list --status ACTIVE', rows: servers.slice(0, 9).map((Name) => ({ Name })) },
    );
  });

  it('deletes all servers, and then nothing is left in any pod', async () => {
    await tenant(
      { run: `server delete --wait ${servers.slice(0, 9).join(' ')}` },
      { run: `volume delete ${servers.map((name) => `data-${name}`).join(' ')}` },
      { run: 'server list', rows: [] },
      { run: 'volume list', rows: [] },
      { run: 'router remove subnet own own' },
      { run: 'router delete own' },
      { run: 'network delete own' },
      { run: 'security group delete web' },
      { run: 'keypair delete own' },
      { run: 'image delete own saved' },
    );
    for (const region of podRegions) {
      expect(await pods.serversIn(region), region).to.deep.equal([]);
      expect(await pods.networksIn(region), region).to.deep.equal([]);
    }
  });
});
