// Runs the example of dynamic pod binding from Tricircle's specification with the command line
// client: six pods in two groups.
import { assert, expect } from 'chai';
import { readCaseFiles } from './cases.ts';
import { startClients, type Clients } from './clients.ts';
import { startServer, type Server } from './server.ts';

type Step = Record<string, unknown>;
type Json = Record<string, any>; // eslint-disable-line

/**
 * Case files for single regions that also run through the gateway, except those of their cases that
 * need something only a pod has.
 */
const gatewayFiles = ['flavor', 'keypair', 'limits', 'quota', 'server', 'server-group', 'volume'];
const podOnly: readonly RegExp[] = [
  // The gateway has the availability zones of tenants instead of nova.
  /^volume: (creates, changes, extends and deletes a volume|shows the limits)$/,
  // Server images and security groups exist in the pod only.
  /^server: (shelves, unshelves and rebuilds a server|keeps as many backups|adds and removes security groups)/,
];

describe('clients: six pods', function () {
  let server: Server | undefined;
  let clients: Clients | undefined;
  let token = '';

  before(async function () {
    if (process.env['CUMULET_TEST_SERVER']) this.skip(); // no other cloud has these pods
    const started = await startClients();
    if (typeof started === 'string') {
      console.log(`    skipped: the command line clients are not available: ${started}`);
      this.skip();
    }
    clients = started;
    server = await startServer(['--profile', 'six-pods']);
    const user = { name: 'admin', password: 'secret', domain: { id: 'default' } };
    const auth = {
      identity: { methods: ['password'], password: { user } },
      scope: { project: { name: 'admin', domain: { id: 'default' } } },
    };
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(`${server.authUrl}/auth/tokens`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ auth }),
    });
    token = reply.headers.get('x-subject-token')!;
  });

  after(async () => {
    clients?.stop();
    await server?.stop();
  });

  const demo = { username: 'demo', password: 'secret', project_name: 'demo' };
  /** Runs steps of the command line client in the central region. */
  const runSteps = async (...steps: readonly Step[]): Promise<void> => {
    const outcome = await clients!.run({ name: 'runSteps', steps }, server!.authUrl, {
      OS_REGION_NAME: 'CentralRegion',
    });
    if (outcome.failure !== undefined) assert.fail(outcome.failure);
  };
  const tenant = (run: string, more: Step = {}): Step => ({ run, as: demo, ...more });
  /** A list of one pod, for an administrator: the catalog of a tenant does not show pods. */
  const inPod = (pod: string, run: string, more: Step = {}): Step =>
    adminIn(pod, `${run} --all-projects`, more);
  const adminIn = (region: string, run: string, more: Step = {}): Step => ({
    run,
    as: { username: 'admin', password: 'secret', project_name: 'admin', region_name: region },
    ...more,
  });
  /** Sends a request to Tricircle's admin API. */
  const admin = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const reply = await fetch(
      `${server!.authUrl.replace('/identity/v3', '/tricircle/v1.0')}${path}`,
      {
        method,
        headers: {
          'x-auth-token': token,
          accept: 'application/json',
          'content-type': 'application/json',
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      },
    );
    expect(reply.status, path).to.equal(200);
    return (await reply.json()) as Json;
  };
  const change = async (region: string, pod: Json): Promise<void> => {
    const found = ((await admin('GET', '/pods'))['pods'] as Json[]).find(
      (one) => one['region_name'] === region,
    )!;
    await admin('PUT', `/pods/${found['pod_id']}`, { pod });
  };
  const boot = (name: string, flavor = 'm1.tiny'): Step =>
    tenant(
      `server create --image cirros --flavor ${flavor} --network private ` +
        `--availability-zone az1 --wait ${name}`,
      { json: { name, status: 'ACTIVE' } },
    );

  it('has six pods in two groups, and each region has its own resources', async () => {
    const pods = (await admin('GET', '/pods'))['pods'] as Json[];
    expect(
      pods.map((pod) => [pod['region_name'], pod['az_name'], pod['resource_affinity_tag']]),
    ).to.deep.equal([
      ['CentralRegion', '', {}],
      ...['Pod1', 'Pod2', 'Pod3'].map((name) => [name, 'az1', {}]),
      ...['Pod4', 'Pod5', 'Pod6'].map((name) => [name, 'az1', { resource: 'CAD Modeling' }]),
    ]);
    await runSteps(
      {
        run: 'availability zone list --compute',
        has: [{ 'Zone Name': 'az1', 'Zone Status': 'available' }],
      },
      ...['CentralRegion', 'Pod1', 'Pod6'].flatMap((region) => [
        adminIn(region, 'image list', { has: [{ Name: 'cirros' }] }),
        adminIn(region, 'network list', { has: [{ Name: 'private' }] }),
        adminIn(region, 'server list', { rows: [] }),
        adminIn(region, 'volume list', { rows: [] }),
      ]),
      adminIn('Pod6', 'resource provider list', { has: [{ name: 'compute-1' }] }),
      { run: 'resource provider list', expect: 1 },
      adminIn('Pod2', 'hypervisor list', { has: [{ 'Hypervisor Hostname': 'compute-1' }] }),
    );
  });

  it('creates the servers and volumes of a tenant in the oldest pod of each group', async () => {
    await runSteps(
      { run: 'flavor create --ram 512 --disk 1 --vcpus 1 --property "resource=CAD Modeling" cad' },
      { run: 'volume type create --property "resource=CAD Modeling" cad-vol' },
      boot('vm1'),
      tenant('volume create --size 1 vol1'),
      tenant('server add volume vm1 vol1'),
      tenant('volume list', { has: [{ Name: 'vol1', Status: 'in-use' }] }),
      boot('cad1', 'cad'),
      tenant('volume create --size 1 --type cad-vol cadvol1'),
      tenant('server add volume cad1 cadvol1'),
      inPod('Pod1', 'server list', { rows: [{ Name: 'vm1' }] }),
      inPod('Pod1', 'volume list', { rows: [{ Name: 'vol1' }] }),
      inPod('Pod4', 'server list', { rows: [{ Name: 'cad1' }] }),
      inPod('Pod4', 'volume list', { rows: [{ Name: 'cadvol1' }] }),
      tenant('server list', { rows: [{ Name: 'vm1' }, { Name: 'cad1' }] }),
      tenant('server show vm1', { json: { name: 'vm1', 'OS-EXT-AZ:availability_zone': 'az1' } }),
    );
  });

  it('binds the tenant to the next pod of the group when one is full', async () => {
    await change('Pod1', { threshold_percent: 1 });
    await admin('POST', '/usages', { usage: {} });
    await runSteps(
      boot('vm2'),
      tenant('volume create --size 1 vol2'),
      inPod('Pod2', 'server list', { rows: [{ Name: 'vm2' }] }),
      tenant('server add volume vm1 vol2', {
        expect: 1,
        stderr: 'Server and volume not in the same pod',
      }),
      tenant('server add volume vm2 vol2'),
      tenant('server stop vm1'),
      tenant('server show vm1', { json: { status: 'SHUTOFF' } }),
      boot('cad2', 'cad'),
      inPod('Pod4', 'server list', { rows: [{ Name: 'cad1' }, { Name: 'cad2' }] }),
    );
  });

  it('binds the tenant to another pod during maintenance, and the old one stays usable', async () => {
    await change('Pod2', { is_under_maintenance: true });
    await runSteps(
      boot('vm3'),
      inPod('Pod3', 'server list', { rows: [{ Name: 'vm3' }] }),
      tenant('server reboot --hard vm2'),
      tenant('server remove volume vm2 vol2'),
      tenant('volume delete vol2'),
      tenant('server delete --wait vm2'),
      inPod('Pod2', 'server list', { rows: [] }),
      tenant('server list', { rows: ['vm1', 'vm3', 'cad1', 'cad2'].map((Name) => ({ Name })) }),
    );
  });

  it('lists the history of the bindings', async () => {
    const pods = ((await admin('GET', '/pods'))['pods'] as Json[]).map((pod): [string, string] => [
      pod['pod_id'],
      pod['region_name'],
    ]);
    const names = new Map(pods);
    const bindings = (
      (await admin('GET', '/bindings/history'))['pod_bindings'] as Json[]
    ).toReversed();
    const history = bindings.map((one) => [
      names.get(one['pod_id'])!,
      one['is_binding'],
      one['start_reason'],
      one['end_reason'],
    ]);
    expect(history.filter(([name]) => name! < 'Pod4')).to.deep.equal([
      ['Pod1', false, 'first', 'exhausted'],
      ['Pod2', false, 'rebind:exhausted', 'maintenance'],
      ['Pod3', true, 'rebind:maintenance', null],
    ]);
    expect(history.filter(([name]) => name! >= 'Pod4')).to.deep.equal([
      ['Pod4', true, 'first', null],
    ]);
    const general = bindings.filter((one) => names.get(one['pod_id'])! < 'Pod4');
    for (const [index, one] of general.slice(0, -1).entries())
      expect(one['end_binding_time']).to.equal(general[index + 1]!['start_binding_time']);
    expect(general.at(-1)!['end_binding_time']).to.equal(null);
  });

  describe('through the gateway', () => {
    for (const { name, cases } of readCaseFiles().filter((file) =>
      gatewayFiles.includes(file.name),
    ))
      for (const one of cases)
        if (!podOnly.some((pattern) => pattern.test(`${name}: ${one.name}`)))
          it(`${name}: ${one.name}`, async function () {
            const outcome = await clients!.run(one, server!.authUrl, {
              OS_REGION_NAME: 'CentralRegion',
            });
            if (outcome.skipped !== undefined) this.skip();
            if (outcome.failure !== undefined) assert.fail(outcome.failure);
          });
  });
});
