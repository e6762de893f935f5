// Tests of what the gateways have for all pods: flavors, types, key pairs, groups, zones, quotas,
// limits, and version documents.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { admin, alice, messageOf, Tenancy, threePods, type Json } from './support.ts';

const pods = ['Pod1', 'Pod2', 'Pod4'];

onEachDatabase('gateway: the central region', threePods, (world) => {
  let cloud: Tenancy;
  beforeEach(() => (cloud = new Tenancy(world)));

  it('shows version documents with its own links', async () => {
    for (const path of ['/compute/', '/compute/v2.1', '/volume/']) {
      const { text } = await world.http.get(`/CentralRegion${path}`);
      expect(text).to.contain(`/CentralRegion${path.split('/').slice(0, 2).join('/')}/v`);
    }
    await world.http.get('/CentralRegion/compute/v2.1/flavors').expect(401);
  });

  it('writes flavors to all pods, with the id that it has chosen', async () => {
    const flavor = { name: 'f', ram: 64, vcpus: 1, disk: 1, description: 'first' };
    const made = (
      (await cloud.nova('POST', '/flavors', { as: admin, body: { flavor } }).expect(200))
        .body as Json
    )['flavor'] as Json;
    const path = `/flavors/${made['id']}`;
    await cloud
      .nova('POST', `${path}/os-extra_specs`, {
        as: admin,
        body: { extra_specs: { a: '1', b: '2' } },
      })
      .expect(200);
    await cloud
      .nova('PUT', `${path}/os-extra_specs/a`, { as: admin, body: { a: '3' } })
      .expect(200);
    await cloud.nova('DELETE', `${path}/os-extra_specs/b`, { as: admin }).expect(200);
    await cloud
      .nova('PUT', path, { as: admin, body: { flavor: { description: 'second' } } })
      .expect(200);
    for (const at of pods) {
      const there = ((await cloud.nova('GET', path, { as: admin, at }).expect(200)).body as Json)[
        'flavor'
      ] as Json;
      expect(there, at).to.include({ name: 'f', ram: 64, description: 'second' });
      expect(there['extra_specs'], at).to.deep.equal({ a: '3' });
    }
    await cloud.nova('DELETE', path, { as: admin }).expect(202);
    for (const at of pods) await cloud.nova('GET', path, { as: admin, at }).expect(404);
    await cloud.nova('POST', '/flavors', { body: { flavor } }).expect(403);
  });

  it('writes volume types to all pods by their names', async () => {
    const made = (
      await cloud
        .cinder('POST', '/types', { as: admin, body: { volume_type: { name: 't' } } })
        .expect(200)
    ).body as Json;
    const path = `/types/${made['volume_type'].id}`;
    await cloud
      .cinder('POST', `${path}/extra_specs`, { as: admin, body: { extra_specs: { a: '1' } } })
      .expect(200);
    await cloud
      .cinder('PUT', path, { as: admin, body: { volume_type: { description: 'd' } } })
      .expect(200);
    const there = async (at: string): Promise<Json | undefined> => {
      const { body } = await cloud.cinder('GET', '/types', { as: admin, at }).expect(200);
      return ((body as Json)['volume_types'] as Json[]).find(({ name }) => name === 't');
    };
    for (const at of pods) expect((await there(at))?.['extra_specs'], at).to.deep.equal({ a: '1' });
    for (const at of pods) expect((await there(at))?.['description'], at).to.equal('d');
    await cloud.cinder('DELETE', path, { as: admin }).expect(202);
    for (const at of pods) expect(await there(at), at).to.equal(undefined);
  });

  it('writes key pairs to all pods, also those that it makes', async () => {
    const keypair = {
      name: 'k',
      type: 'ssh',
      public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGVjaG8gaGVsbG8gd29ybGQgZm9yIHRlc3Rpbmch a',
    };
    const made = (
      (await cloud.nova('POST', '/os-keypairs', { body: { keypair } }).expect(201)).body as Json
    )['keypair'] as Json;
    const older = (
      await cloud.nova('POST', '/os-keypairs', {
        version: '2.90',
        body: { keypair: { name: 'made' } },
      })
    ).body as Json;
    const prints = [
      ['k', made['fingerprint']],
      ...(older['keypair'] ? [['made', older['keypair'].fingerprint]] : []),
    ];
    for (const at of pods)
      for (const [name, print] of prints) {
        const there = (await cloud.nova('GET', `/os-keypairs/${name}`, { at }).expect(200))
          .body as Json;
        expect(there['keypair'].fingerprint).to.equal(print);
      }
    await cloud.nova('DELETE', '/os-keypairs/k').expect(204);
    for (const at of pods) await cloud.nova('GET', '/os-keypairs/k', { at }).expect(404);
  });

  it('has the zones of pods: one is available while one of its pods is not under maintenance', async () => {
    const zones = async (): Promise<unknown> =>
      ((await cloud.nova('GET', '/os-availability-zone').expect(200)).body as Json)[
        'availabilityZoneInfo'
      ];
    expect(await zones()).to.deep.equal([
      { zoneName: 'az1', zoneState: { available: true }, hosts: null },
    ]);
    for (const name of pods) await cloud.pod(name, { is_under_maintenance: true });
    expect(await zones()).to.deep.equal([
      { zoneName: 'az1', zoneState: { available: false }, hosts: null },
    ]);
    await cloud.cinder('GET', '/os-availability-zone').expect(200, {
      availabilityZoneInfo: [{ zoneName: 'az1', zoneState: { available: false } }],
    });
    await cloud.nova('GET', '/os-availability-zone/detail').expect(403);
    await cloud.nova('GET', '/os-availability-zone/detail', { as: admin }).expect(200);
  });

  it('puts a server group into the pod of general requests, and its servers beside it', async () => {
    const body = { server_group: { name: 'g', policy: 'anti-affinity' } };
    const { id } = (
      (await cloud.nova('POST', '/os-server-groups', { body }).expect(200)).body as Json
    )['server_group'] as Json;
    await cloud.pod('Pod1', { threshold_percent: 1 });
    expect(await cloud.podOf(id)).to.equal('Pod1');
    const server = await cloud.server('a', {}, alice, { group: id });
    expect(await cloud.podOf(server['id'])).to.equal('Pod1');
    const { body: listed } = await cloud.nova('GET', '/os-server-groups').expect(200);
    expect(
      ((listed as Json)['server_groups'] as Json[]).map((group) => [group['id'], group['members']]),
    ).to.deep.equal([[id, [server['id']]]]);
    await cloud.nova('DELETE', `/os-server-groups/${id}`).expect(204);
    expect(
      messageOf((await cloud.nova('GET', `/os-server-groups/${id}`).expect(404)).body),
    ).to.match(/Instance group .* could not be found/);
  });

  it('counts in its limits and quotas what is used in all pods', async () => {
    await cloud.cad();
    await cloud.server('a');
    await cloud.server('b', { flavorRef: 'cad' });
    await cloud.volume('v', { size: 2 });
    await cloud.volume('w', { size: 3, volume_type: 'cad-vol' });
    const limits = ((await cloud.nova('GET', '/limits').expect(200)).body as Json)['limits']
      .absolute as Json;
    expect(limits).to.include({ totalInstancesUsed: 2, totalCoresUsed: 2, maxTotalInstances: 10 });
    const volumes = ((await cloud.cinder('GET', '/limits').expect(200)).body as Json)['limits']
      .absolute as Json;
    expect(volumes).to.include({ totalVolumesUsed: 2, totalGigabytesUsed: 5 });
    const detail = (
      (await cloud.nova('GET', '/os-quota-sets/acme/detail').expect(200)).body as Json
    )['quota_set'] as Json;
    expect(detail['instances']).to.deep.equal({ limit: 10, in_use: 2, reserved: 0 });
    const usage = (
      (await cloud.cinder('GET', '/os-quota-sets/acme?usage=true').expect(200)).body as Json
    )['quota_set'] as Json;
    expect(usage['gigabytes']).to.include({ in_use: 5 });
  });

  it('writes quotas to all pods', async () => {
    await cloud
      .nova('PUT', '/os-quota-sets/acme', { as: admin, body: { quota_set: { instances: 3 } } })
      .expect(200);
    await cloud
      .cinder('PUT', '/os-quota-sets/acme', { as: admin, body: { quota_set: { volumes: 4 } } })
      .expect(200);
    const read = async (ask: Tenancy['nova'], at: string): Promise<Json> =>
      ((await ask('GET', '/os-quota-sets/acme', { at, as: admin }).expect(200)).body as Json)[
        'quota_set'
      ] as Json;
    for (const at of ['CentralRegion', ...pods]) {
      expect((await read(cloud.nova, at))['instances'], at).to.equal(3);
      if (at === 'CentralRegion') continue;
      const own = { token: 'admin:acme', roles: 'admin' };
      const there = await cloud.cinder('GET', '/os-quota-sets/acme', { at, as: own }).expect(200);
      expect(((there.body as Json)['quota_set'] as Json)['volumes'], at).to.equal(4);
    }
    await cloud.nova('DELETE', '/os-quota-sets/acme', { as: admin }).expect(202);
    for (const at of ['CentralRegion', ...pods])
      expect((await read(cloud.nova, at))['instances'], at).to.equal(10);
  });

  it('has no hypervisors, and says so as Nova does for what it does not have', async () => {
    for (const path of ['/os-hypervisors', '/os-services', '/os-aggregates'])
      await cloud.nova('GET', path, { as: admin }).expect(404);
    await cloud.cinder('GET', '/scheduler-stats/get_pools', { as: admin }).expect(404);
  });

  it('answers in the words of Nova and Cinder where a pod is not in the catalog', async () => {
    const { id } = await cloud.server('a');
    await world.cloud.central.db('identity_endpoints').where({ region_id: 'Pod1' }).delete();
    expect(messageOf((await cloud.nova('GET', `/servers/${id}`).expect(500)).body)).to.equal(
      'Bottom Pod endpoint incorrect',
    );
    expect(await cloud.podOf((await cloud.server('b'))['id'])).to.equal('Pod2');
  });
});
