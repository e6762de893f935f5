// A migration to a pod in another process, which is reached over HTTP.
import { expect } from 'chai';
import { run, type Running } from '../../../src/server.ts';
import { configOf } from '../../../src/config.ts';
import { startEmulator, type Emulator } from '../../support/processes.ts';
import type { Json } from './support.ts';

describe('migrations to a pod in another process', () => {
  let central: Running;
  let far: Emulator;
  const ask = async (method: string, path: string, body?: Json, at = central.origin) => {
    const reply = await fetch(`${at}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'x-auth-token': 'admin',
        'openstack-api-version': path.includes('/volume/') ? 'volume 3.50' : 'compute 2.90',
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
    return (text ? JSON.parse(text) : {}) as Json;
  };

  before(async () => {
    far = await startEmulator(['--auth', 'noauth2', '--database', 'memory:', '--hosts', '1']);
    central = await run(
      configOf({
        port: 0,
        database: { kind: 'memory' },
        auth: 'noauth2',
        regions: ['CentralRegion', 'Pod1'],
        logLevel: 'silent',
        hosts: '1',
      }),
    );
    await ask('POST', '/identity/v3/regions', { region: { id: 'Far' } });
    const { services } = await ask('GET', '/identity/v3/services');
    const urls = {
      compute: '/compute/v2.1',
      volumev3: '/volume/v3/$(project_id)s',
      image: '/image',
      network: '/network',
    };
    for (const [type, path] of Object.entries(urls)) {
      const service_id = (services as Json[]).find((one) => one['type'] === type)!['id'] as string;
      const fields = { interface: 'public', region_id: 'Far', url: far.origin + path };
      await ask('POST', '/identity/v3/endpoints', { endpoint: { service_id, ...fields } });
    }
    for (const region_name of ['Pod1', 'Far'])
      await ask('POST', '/tricircle/v1.0/pods', { pod: { region_name, az_name: 'az1' } });
    await ask('PUT', '/_emulator/clock', { frozen: true });
  });
  after(async () => {
    await central.stop();
    await far.stop();
  });

  it('keep the ids of a server, its port and its volume', async () => {
    const { network } = await ask('POST', '/CentralRegion/network/v2.0/networks', {
      network: { name: 'own' },
    });
    const subnet = { network_id: network['id'], ip_version: 4, cidr: '10.40.0.0/24' };
    await ask('POST', '/CentralRegion/network/v2.0/subnets', { subnet });
    const { images } = await ask('GET', '/CentralRegion/image/v2/images');
    const { server } = await ask('POST', '/CentralRegion/compute/v2.1/servers', {
      server: {
        name: 'vm',
        imageRef: (images as Json[])[0]!['id'],
        flavorRef: '1',
        networks: [{ uuid: network['id'] }],
      },
    });
    const { volume } = await ask('POST', '/CentralRegion/volume/v3/volumes', {
      volume: { size: 1, name: 'data' },
    });
    await ask('POST', `/CentralRegion/compute/v2.1/servers/${server['id']}/os-volume_attachments`, {
      volumeAttachment: { volumeId: volume['id'] },
    });
    let migration = await ask('POST', '/_emulator/pods/Pod1/drain', { target: 'Far' });
    for (let second = 0; second < 60 && migration['finished_at'] === null; second++) {
      await ask('POST', '/_emulator/clock/advance', { seconds: 1 });
      migration = await ask('GET', `/_emulator/migrations/${migration['id']}`);
    }
    expect(migration['status'], JSON.stringify(migration)).to.equal('SUCCESS');
    const there = await ask('GET', `/compute/v2.1/servers/${server['id']}`, undefined, far.origin);
    expect(there['server']).to.include({ id: server['id'], status: 'ACTIVE' });
    const shown = await ask('GET', `/CentralRegion/volume/v3/volumes/${volume['id']}`);
    expect(shown['volume']).to.include({ status: 'in-use' });
    expect((await ask('GET', '/Pod1/compute/v2.1/servers'))['servers']).to.deep.equal([]);
  });
});
