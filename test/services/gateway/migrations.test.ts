// Tests of migrations between pods: servers, volumes and whole projects and pods move, with their
// ids, ports and power states.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { Migrating } from './migrating.ts';
import { Networking } from './networking.ts';
import { admin, bob, Tenancy, threePods, type Json } from './support.ts';

onEachDatabase('gateway: migrations between pods', threePods, (world) => {
  let cloud: Tenancy;
  let net: Networking;
  let moving: Migrating;
  beforeEach(() => {
    cloud = new Tenancy(world);
    net = new Networking(world, cloud);
    moving = new Migrating(world, cloud);
  });

  const action = (id: string, body: Json, as = admin) =>
    cloud.nova('POST', `/servers/${id}/action`, { as, body }).expect(202);
  const attach = (server: string, volumeId: string) =>
    cloud
      .nova('POST', `/servers/${server}/os-volume_attachments`, {
        body: { volumeAttachment: { volumeId } },
      })
      .expect(200);
  const volumeOf = async (id: string): Promise<Json> =>
    ((await cloud.cinder('GET', `/volumes/${id}`).expect(200)).body as Json)['volume'] as Json;
  const toPod2 = async (id: string): Promise<Json> =>
    moving.create({ server_id: id, target_pod_id: await moving.podId('Pod2') });

  describe('of one server', () => {
    it('keep ids, ports, floating IPs, volumes and the power state #tricircle-23', async () => {
      const { network, subnet } = await net.network('own');
      await net.router(subnet['id']);
      const group = await net.create('security_group', { name: 'web' });
      const rule = { security_group_id: group['id'], direction: 'ingress', protocol: 'tcp' };
      await net.ask('POST', '/security-group-rules', { body: { security_group_rule: rule } });
      const port = await net.create('port', {
        network_id: network['id'],
        security_groups: [group['id']],
      });
      await cloud
        .nova('POST', '/os-keypairs', { body: { keypair: { name: 'key' } }, version: '2.1' })
        .expect(200);
      const { id } = await cloud.server('vm', {
        networks: [{ port: port['id'] }],
        key_name: 'key',
        metadata: { role: 'web' },
        tags: ['blue'],
      });
      const volume = await cloud.volume('data', { metadata: { of: 'web' } });
      await attach(id as string, volume['id'] as string);
      const [outside] = await net.list('network', 'name=public');
      const floating = await net.create('floatingip', {
        floating_network_id: outside!['id'],
        port_id: port['id'],
      });
      const before = await cloud.show(id as string);
      const volumeBefore = await volumeOf(volume['id'] as string);

      const started = await toPod2(id as string);
      expect(started).to.include({ status: 'RUNNING', server_id: id });
      expect(started['totals']).to.include({ servers: 1, volumes: 1, vcpus: 1, volume_gb: 1 });
      const ended = await moving.finish(started['id'] as string);
      expect(ended['status'], JSON.stringify(ended)).to.equal('SUCCESS');
      expect(ended['moves'][0]).to.include({ status: 'MOVED', step: null, progress: 100 });

      const shown = await cloud.show(id as string);
      const changing = ['updated', 'OS-EXT-AZ:availability_zone', 'OS-SRV-USG:launched_at'];
      const kept = (server: Json): Json =>
        Object.fromEntries(
          Object.entries(server).filter(([name]) => !changing.includes(name) && name !== 'hostId'),
        );
      expect(kept(shown)).to.deep.equal(kept(before));
      expect(shown['status']).to.equal('ACTIVE');
      const volumeNow = await volumeOf(volume['id'] as string);
      expect(volumeNow).to.deep.include({
        status: 'in-use',
        metadata: { of: 'web' },
        created_at: volumeBefore['created_at'],
        name: 'data',
      });
      expect((volumeNow['attachments'] as Json[])[0]).to.include({
        server_id: id,
        device: (volumeBefore['attachments'] as Json[])[0]!['device'],
      });
      expect([await cloud.podOf(id as string), await cloud.podOf(volume['id'] as string)]).to.eql([
        'Pod2',
        'Pod2',
      ]);
      const copy = await net.inPod('Pod2', 'port', port['id'] as string);
      expect(copy).to.include({
        mac_address: port['mac_address'],
        device_id: id,
        status: 'ACTIVE',
      });
      expect((copy['fixed_ips'] as Json[]).map((fixed) => fixed['ip_address'])).to.deep.equal(
        (port['fixed_ips'] as Json[]).map((fixed) => fixed['ip_address']),
      );
      expect([...(await net.routings(floating['id'] as string)).keys()]).to.deep.equal(['Pod2']);
      expect([...(await net.routings(port['id'] as string)).keys()]).to.deep.equal(['Pod2']);
      const groupCopy = await net.inPod('Pod2', 'security_group', group['id'] as string);
      expect(groupCopy['security_group_rules']).to.have.length(3);
      expect([await moving.inPod('Pod1', 'servers'), await moving.inPod('Pod1', 'volumes')]).to.eql(
        [[], []],
      );
      expect([
        await moving.hasClaims('Pod1', id as string),
        await moving.hasClaims('Pod2', id as string),
      ]).to.deep.equal([false, true]);
      const central = await net.show('port', port['id'] as string, admin);
      expect(central).to.include({ device_id: id, status: 'ACTIVE' });
      expect(central['binding:profile']).to.deep.equal({ region: 'Pod2' });
      expect(String(central['binding:host_id'])).to.equal(
        ((await cloud.nova('GET', `/servers/${id}`, { as: admin, at: 'Pod2' })).body as Json)[
          'server'
        ]['OS-EXT-SRV-ATTR:host'],
      );
      // It is a server like any other.
      await action(id as string, { 'os-stop': null });
      await cloud.nova('DELETE', `/servers/${id}`).expect(204);
      await cloud.nova('GET', `/servers/${id}`).expect(404);
    });

    it('claim resources in the target before they are released in the source', async () => {
      const { id } = await cloud.server('vm');
      const { id: migration } = await toPod2(id as string);
      await moving.passTo(migration as string, 'release');
      expect([
        await moving.hasClaims('Pod1', id as string),
        await moving.hasClaims('Pod2', id as string),
      ]).to.deep.equal([true, true]);
      const { body } = await cloud.nova('GET', '/servers').expect(200);
      expect((body as Json)['servers']).to.have.length(1);
      await moving.finish(migration as string);
    });

    it('keep a server stopped, and locked', async () => {
      const { id } = await cloud.server('v');
      await action(id as string, { 'os-stop': null });
      await action(id as string, { lock: { locked_reason: 'mine' } });
      const { id: migration } = await toPod2(id as string);
      expect((await moving.finish(migration as string))['status']).to.equal('SUCCESS');
      expect(await cloud.show(id as string)).to.include({
        status: 'SHUTOFF',
        locked: true,
        locked_reason: 'mine',
      });
      await action(id as string, { unlock: null });
    });

    it('move a server back to the pod that it came from', async () => {
      const { id } = await cloud.server('vm');
      await moving.finish((await toPod2(id as string))['id'] as string);
      const back = { server_id: id, target_pod_id: await moving.podId('Pod1') };
      const ended = await moving.finish((await moving.create(back))['id'] as string);
      expect(ended['status'], JSON.stringify(ended)).to.equal('SUCCESS');
      expect(await cloud.podOf(id as string)).to.equal('Pod1');
      expect(await cloud.show(id as string)).to.include({ status: 'ACTIVE' });
    });

    it('move a server that boots from a volume', async () => {
      const { id } = await cloud.server('vm', {
        imageRef: undefined,
        block_device_mapping_v2: [
          {
            boot_index: 0,
            uuid: await cloud.image(),
            source_type: 'image',
            destination_type: 'volume',
            volume_size: 1,
            delete_on_termination: true,
          },
        ],
      });
      const ended = await moving.finish((await toPod2(id as string))['id'] as string);
      expect(ended['status'], JSON.stringify(ended)).to.equal('SUCCESS');
      const shown = await cloud.show(id as string);
      expect(shown).to.include({ status: 'ACTIVE', image: '' });
      const [{ id: volume }] = shown['os-extended-volumes:volumes_attached'] as [Json];
      expect(await volumeOf(volume as string)).to.include({ status: 'in-use', bootable: 'true' });
      await cloud.nova('DELETE', `/servers/${id}`).expect(204);
      await cloud.cinder('GET', `/volumes/${volume}`).expect(404);
    });
  });

  it('move a volume that is not attached', async () => {
    const { id } = await cloud.volume('data');
    const request = { volume_id: id, target_pod_id: await moving.podId('Pod2') };
    const ended = await moving.finish((await moving.create(request))['id'] as string);
    expect(ended['status'], JSON.stringify(ended)).to.equal('SUCCESS');
    expect(await volumeOf(id as string)).to.include({ status: 'available' });
    expect([await cloud.podOf(id as string), await moving.inPod('Pod1', 'volumes')]).to.eql([
      'Pod2',
      [],
    ]);
  });

  it('move all of a project, with its server groups, to the pod that it is bound to', async () => {
    const group = await cloud.nova('POST', '/os-server-groups', {
      body: { server_group: { name: 'g', policy: 'affinity' } },
    });
    const groupId = ((group.body as Json)['server_group'] as Json)['id'] as string;
    const one = await cloud.server('one', {}, undefined, { group: groupId });
    const two = await cloud.server('two', {}, undefined, { group: groupId });
    const other = await cloud.server('other', {}, bob);
    await net.leavePod('Pod1');
    const late = await cloud.server('late');
    expect(await cloud.podOf(late['id'] as string)).to.equal('Pod2');
    const started = await moving.create({ project_id: 'acme' });
    expect(started['moves'], JSON.stringify(started)).to.have.length(1);
    const ended = await moving.finish(started['id'] as string);
    expect(ended['status'], JSON.stringify(ended)).to.equal('SUCCESS');
    for (const { id } of [one, two])
      expect(await cloud.show(id as string)).to.deep.include({ server_groups: [groupId] });
    expect(await cloud.podOf(groupId)).to.equal('Pod2');
    expect(await moving.inPod('Pod1', 'servers')).to.deep.equal([other['id']]);
  });

  it('drain a pod under maintenance', async () => {
    const ids = [
      (await cloud.server('one'))['id'] as string,
      (await cloud.server('two', {}, bob))['id'] as string,
    ];
    await cloud.volume('data');
    const podId = await moving.podId('Pod1');
    await moving.ask('POST', '', { pod_id: podId }).expect(409);
    await net.leavePod('Pod1');
    const plan = await moving.plan({ pod_id: podId });
    expect(plan).to.include({ id: null, status: 'PLANNED', pod_id: podId });
    expect(plan['totals']).to.include({ servers: 2, volumes: 1, vcpus: 2, volume_gb: 1 });
    expect(await moving.inPod('Pod2', 'servers')).to.deep.equal([]);
    const ended = await moving.finish((await moving.create({ pod_id: podId }))['id'] as string);
    expect(ended['status'], JSON.stringify(ended)).to.equal('SUCCESS');
    expect(await moving.inPod('Pod1', 'servers')).to.deep.equal([]);
    expect(await moving.inPod('Pod1', 'volumes')).to.deep.equal([]);
    expect(await moving.inPod('Pod2', 'servers')).to.deep.equal(ids.toSorted());
  });
});
