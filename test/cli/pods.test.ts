// Tests of the command `cumulet pods drain`.
import { expect } from 'chai';
import { run, type Running } from '../../src/server.ts';
import { configOf } from '../../src/config.ts';
import { cumulet } from '../kernel/processes.ts';

type Json = Record<string, any>; // eslint-disable-line

describe('cumulet pods drain', () => {
  let running: Running;
  const ids: string[] = [];

  const ask = async (method: string, path: string, body?: Json): Promise<Json> => {
    const reply = await fetch(`${running.origin}${path}`, {
      method,
      headers: {
        'x-auth-token': 'admin',
        accept: 'application/json',
        'content-type': 'application/json',
        'openstack-api-version': path.includes('/volume/') ? 'volume 3.50' : 'compute 2.90',
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await reply.text();
    return text ? (JSON.parse(text) as Json) : {};
  };
  const drain = async (...args: readonly string[]): Promise<string> => {
    const all = ['pods', 'drain', ...args, '--url', running.origin];
    const { code, out, err } = await cumulet(all).ended;
    return `${code} ${out}${err}`;
  };
  const servers = async (region: string): Promise<string[]> => {
    const { servers: list } = await ask('GET', `/${region}/compute/v2.1/servers?all_tenants=1`);
    return (list as Json[]).map(({ id }) => id as string).toSorted();
  };

  before(async () => {
    running = await run(
      configOf({
        port: 0,
        database: { kind: 'memory' },
        auth: 'noauth2',
        logLevel: 'silent',
        hosts: '1',
        regions: ['CentralRegion', 'Pod1', 'Pod2'],
      }),
    );
    for (const region_name of ['Pod1', 'Pod2'])
      await ask('POST', '/tricircle/v1.0/pods', { pod: { region_name, az_name: 'az1' } });
    const { images } = await ask('GET', '/CentralRegion/image/v2/images');
    const server = { imageRef: (images as Json[])[0]!['id'], flavorRef: '1', networks: 'none' };
    for (const name of ['one', 'two'])
      ids.push(
        (await ask('POST', '/CentralRegion/compute/v2.1/servers', { server: { ...server, name } }))[
          'server'
        ]['id'] as string,
      );
    const volume = { name: 'data', size: 2 };
    expect(await ask('POST', '/CentralRegion/volume/v3/volumes', { volume })).to.have.key('volume');
    await ask('PUT', '/_emulator/tricircle/settings', { migration_step_duration: 0 });
  });
  after(() => running.stop());

  it('prints the plan with --dry-run, and changes nothing', async () => {
    expect(await drain('Pod1', '--dry-run')).to.equal(
      [
        '0 Pod1 -> Pod2  server one: 1 vCPU, 512 MB of memory, 1 GB of disk',
        'Pod1 -> Pod2  server two: 1 vCPU, 512 MB of memory, 1 GB of disk',
        'Pod1 -> Pod2  volume data: 2 GB of volumes',
        '2 servers, 1 volume: 2 vCPU, 1024 MB of memory, 2 GB of disk, 2 GB of volumes',
        '',
      ].join('\n'),
    );
    expect(await servers('Pod2')).to.deep.equal([]);
    const { pods } = await ask('GET', '/tricircle/v1.0/pods');
    expect((pods as Json[]).map((pod) => pod['is_under_maintenance'])).to.deep.equal([
      false,
      false,
    ]);
  });

  it('moves everything, and prints the progress', async () => {
    const printed = await drain('Pod1', '--to', 'Pod2');
    expect(printed).to.match(/^0 Pod1 -> Pod2 {2}server one/);
    expect(printed).to.match(/\n1 of 3: .* moved to Pod2\n2 of 3: .*\n3 of 3: .*\n$/);
    expect([await servers('Pod1'), await servers('Pod2')]).to.deep.equal([[], ids.toSorted()]);
  });

  it('exits with 1 if something has to stay, and prints JSON with --json', async () => {
    await ask('POST', `/CentralRegion/compute/v2.1/servers/${ids[0]}/action`, { pause: null });
    const refused = await drain('Pod2', '--dry-run', '--to', 'Pod1', '--json');
    expect(refused).to.match(/Pod Pod1 is under maintenance|The pod Pod1 is under maintenance/);
    const { pods } = await ask('GET', '/tricircle/v1.0/pods');
    await ask('PUT', `/tricircle/v1.0/pods/${(pods as Json[])[0]!['pod_id']}`, {
      pod: { is_under_maintenance: false },
    });
    const printed = await drain('Pod2', '--json');
    expect(printed.slice(0, 2)).to.equal('1 ');
    const migration = JSON.parse(printed.slice(2)) as Json;
    expect(migration).to.include({ status: 'SUCCESS' });
    expect((migration['refused'] as Json[])[0]).to.include({ id: ids[0], region: 'Pod2' });
    expect(await servers('Pod2')).to.deep.equal([ids[0]]);
  });

  it('reports an unknown pod, and a frozen clock', async () => {
    expect(await drain('Pod9')).to.equal("1 cumulet: There is no pod 'Pod9'.\n");
    await ask('PUT', '/_emulator/clock', { frozen: true });
    expect(await drain('Pod2')).to.match(/^1 cumulet: The emulator's clock is frozen/);
  });
});
