// Tests of the Volume gateway, and of servers and volumes together.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { admin, alice, bob, messageOf, Tenancy, threePods, type Json } from './support.ts';

const nowhere = '00000000-0000-0000-0000-000000000001';

onEachDatabase('gateway: volumes', threePods, (world) => {
  let cloud: Tenancy;
  beforeEach(() => (cloud = new Tenancy(world)));
  const attach = (server: Json, volumeId: unknown) =>
    cloud.nova('POST', `/servers/${server['id']}/os-volume_attachments`, {
      body: { volumeAttachment: { volumeId } },
    });

  it('are created in the pod where the servers of their tenant are, and attached there', async () => {
    const [server, volume] = [
      await cloud.server('a'),
      await cloud.volume('v', { availability_zone: 'az1' }),
    ];
    expect([await cloud.podOf(server['id']), await cloud.podOf(volume['id'])]).to.deep.equal([
      'Pod1',
      'Pod1',
    ]);
    expect(volume['availability_zone']).to.equal('az1');
    await attach(server, volume['id']).expect(200);
    const shown = (
      (await cloud.cinder('GET', `/volumes/${volume['id']}`).expect(200)).body as Json
    )['volume'] as Json;
    expect(shown).to.include({ status: 'in-use', availability_zone: 'az1' });
    for (const { href } of shown['links'] as { href: string }[])
      expect(href).to.contain('/CentralRegion/volume/');
    await cloud
      .nova('DELETE', `/servers/${server['id']}/os-volume_attachments/${volume['id']}`)
      .expect(202);
    await cloud.cinder('DELETE', `/volumes/${volume['id']}`).expect(202);
    expect(
      messageOf((await cloud.cinder('GET', `/volumes/${volume['id']}`).expect(404)).body),
    ).to.match(/could not be found/);
    expect(await cloud.podOf(volume['id'])).to.equal(undefined);
  });

  it('are not attached to a server in another pod, by either gateway', async () => {
    const server = await cloud.server('a');
    await cloud.pod('Pod1', { is_under_maintenance: true });
    const volume = await cloud.volume('v');
    expect(await cloud.podOf(volume['id'])).to.equal('Pod2');
    const said = 'Server and volume not in the same pod';
    expect(messageOf((await attach(server, volume['id']).expect(400)).body)).to.equal(said);
    const body = { 'os-attach': { instance_uuid: server['id'], mountpoint: '/dev/vdc' } };
    expect(
      messageOf(
        (await cloud.cinder('POST', `/volumes/${volume['id']}/action`, { body }).expect(400)).body,
      ),
    ).to.equal(said);
    expect(messageOf((await attach(server, nowhere).expect(404)).body)).to.equal(
      `Volume ${nowhere} could not be found.`,
    );
    const device = {
      uuid: volume['id'],
      source_type: 'volume',
      destination_type: 'volume',
      boot_index: -1,
    };
    const other = await cloud.server('b');
    expect(await cloud.podOf(other['id'])).to.equal('Pod2');
    const hints = { same_host: [server['id']] };
    const both = {
      name: 'c',
      imageRef: await cloud.image(),
      flavorRef: '1',
      networks: 'none',
      block_device_mapping_v2: [device],
    };
    const reply = await cloud
      .nova('POST', '/servers', { body: { server: both, 'os:scheduler_hints': hints } })
      .expect(400);
    expect(messageOf(reply.body)).to.equal(said);
  });

  it('go to the pod of what they refer to, though the tenant is bound elsewhere by now', async () => {
    const [server, volume] = [await cloud.server('a'), await cloud.volume('v')];
    const made = await cloud
      .cinder('POST', '/snapshots', { body: { snapshot: { volume_id: volume['id'], name: 's' } } })
      .expect(202);
    const snapshot = (made.body as Json)['snapshot'] as Json;
    expect(await cloud.podOf(snapshot['id'])).to.equal('Pod1');
    await cloud.pod('Pod1', { threshold_percent: 1 });
    await cloud.tricircle('POST', '/usages', { usage: {} }).expect(200);
    expect(await cloud.podOf((await cloud.volume('next'))['id'])).to.equal('Pod2');
    expect(
      await cloud.podOf((await cloud.volume('copy', { source_volid: volume['id'] }))['id']),
    ).to.equal('Pod1');
    expect(
      await cloud.podOf((await cloud.volume('copy', { snapshot_id: snapshot['id'] }))['id']),
    ).to.equal('Pod1');
    const beside = {
      volume: { name: 'l', size: 1 },
      'OS-SCH-HNT:scheduler_hints': { local_to_instance: server['id'] },
    };
    const local = (await cloud.cinder('POST', '/volumes', { body: beside }).expect(202))
      .body as Json;
    expect(await cloud.podOf(local['volume'].id)).to.equal('Pod1');
    await cloud.pod('Pod1', { is_under_maintenance: true });
    await cloud.cinder('POST', '/volumes', { body: beside }).expect(409);
  });

  it('of a type with a tag go to the pods with it; types go by name in pods', async () => {
    await cloud.cad();
    const volume = await cloud.volume('v', { volume_type: 'cad-vol' });
    expect([await cloud.podOf(volume['id']), volume['volume_type']]).to.deep.equal([
      'Pod4',
      'cad-vol',
    ]);
    const server = await cloud.server('a', { flavorRef: 'cad' });
    await attach(server, volume['id']).expect(200);
    const missing = await cloud
      .cinder('POST', '/volumes', { body: { volume: { size: 1, volume_type: 'gold' } } })
      .expect(404);
    expect(messageOf(missing.body)).to.equal('Volume type with name gold could not be found.');
    const wrong = { name: 'odd', extra_specs: { resource: 'Something else' } };
    await cloud.cinder('POST', '/types', { as: admin, body: { volume_type: wrong } }).expect(200);
    const refused = await cloud
      .cinder('POST', '/volumes', { body: { volume: { size: 1, volume_type: 'odd' } } })
      .expect(500);
    expect(messageOf(refused.body)).to.equal('Pod not configured or scheduling failure');
  });

  it('are listed over the pods: sorted, in pages, counted, filtered by zone', async () => {
    await cloud.cad();
    for (const [name, type] of [
      ['b', null],
      ['c', 'cad-vol'],
      ['a', 'cad-vol'],
    ] as const)
      await cloud.volume(name, type === null ? {} : { volume_type: type });
    await cloud.volume('theirs', {}, bob);
    const names = async (query: string, as = alice): Promise<string[]> =>
      (
        ((await cloud.cinder('GET', `/volumes${query}`, { as }).expect(200)).body as Json)[
          'volumes'
        ] as { name: string }[]
      ).map(({ name }) => name);
    expect(await names('?sort=name:asc')).to.deep.equal(['a', 'b', 'c']);
    expect(await names('/detail?sort=name:desc&limit=2')).to.deep.equal(['c', 'b']);
    expect(await names('?sort=name:asc&limit=1&offset=1')).to.deep.equal(['b']);
    expect(await names('?name=c')).to.deep.equal(['c']);
    expect(await names('?all_tenants=1', admin)).to.have.members(['a', 'b', 'c', 'theirs']);
    const counted = (
      await cloud.cinder('GET', '/volumes?sort=name:asc&limit=2&with_count=true').expect(200)
    ).body as Json;
    expect(counted['count']).to.equal(3);
    expect(counted['volumes_links'][0].href).to.match(
      /\/CentralRegion\/volume\/v3\/volumes\?.*limit=2.*marker=/,
    );
  });

  it('are renamed, extended, retyped and given metadata where they are', async () => {
    const { id } = await cloud.volume('v');
    await cloud.pod('Pod1', { is_under_maintenance: true });
    await cloud.cinder('PUT', `/volumes/${id}`, { body: { volume: { name: 'w' } } }).expect(200);
    await cloud
      .cinder('POST', `/volumes/${id}/action`, { body: { 'os-extend': { new_size: 2 } } })
      .expect(202);
    await cloud
      .cinder('POST', `/volumes/${id}/metadata`, { body: { metadata: { k: 'v' } } })
      .expect(200);
    await cloud
      .cinder('POST', '/types', { as: admin, body: { volume_type: { name: 'later' } } })
      .expect(200);
    const retype = { 'os-retype': { new_type: 'later', migration_policy: 'on-demand' } };
    await cloud.cinder('POST', `/volumes/${id}/action`, { body: retype }).expect(202);
    const shown = ((await cloud.cinder('GET', `/volumes/${id}`).expect(200)).body as Json)[
      'volume'
    ] as Json;
    expect(shown).to.include({ name: 'w', size: 2, volume_type: 'later' });
    expect(shown['metadata']).to.deep.equal({ k: 'v' });
    await cloud.cinder('GET', `/volumes/${id}`, { as: bob }).expect(404);
    await cloud.cinder('GET', `/volumes/${nowhere}`).expect(404);
  });
});

onEachDatabase(
  'gateway: pods with room for 10 GiB of volumes',
  { ...threePods, volumeCapacity: 10 },
  (world) => {
    it('are exhausted by them: the next goes to the next pod, and what follows to the same', async () => {
      const cloud = new Tenancy(world);
      const pods: unknown[] = [];
      for (const name of ['a', 'b', 'c']) {
        pods.push(await cloud.podOf((await cloud.volume(name, { size: 4 }))['id']));
        await cloud.tricircle('POST', '/usages', { usage: {} }).expect(200);
      }
      expect(pods).to.deep.equal(['Pod1', 'Pod1', 'Pod2']);
      expect(await cloud.podOf((await cloud.server('s'))['id'])).to.equal('Pod2');
    });
  },
);
