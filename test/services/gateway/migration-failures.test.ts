// Tests of migrations between pods that are cancelled, that fail, or that meet other requests.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { faultsOf } from '../../emulator/fault-injection/support.ts';
import { Migrating } from './migrating.ts';
import { Networking } from './networking.ts';
import { admin, messageOf, Tenancy, threePods, type Json } from './support.ts';

onEachDatabase('gateway: migrations between pods that do not succeed', threePods, (world) => {
  const faults = faultsOf(world);
  let cloud: Tenancy;
  let net: Networking;
  let moving: Migrating;
  let id = '';
  let volume = '';
  let port = '';
  beforeEach(async () => {
    cloud = new Tenancy(world);
    net = new Networking(world, cloud);
    moving = new Migrating(world, cloud);
    const { network } = await net.network('own');
    port = (await net.create('port', { network_id: network['id'] }))['id'] as string;
    id = (await cloud.server('vm', { networks: [{ port }] }))['id'] as string;
    volume = (await cloud.volume('data'))['id'] as string;
    await cloud
      .nova('POST', `/servers/${id}/os-volume_attachments`, {
        body: { volumeAttachment: { volumeId: volume } },
      })
      .expect(200);
  });
  afterEach(() => faults.clear());

  const start = async (): Promise<string> => {
    const request = { server_id: id, target_pod_id: await moving.podId('Pod2') };
    return (await moving.create(request))['id'] as string;
  };

  /** Checks that the server works in Pod1, and that Pod2 has nothing of it. */
  const expectUndone = async (): Promise<void> => {
    expect(await cloud.show(id)).to.include({ status: 'ACTIVE', locked: false });
    const { body } = await cloud.cinder('GET', `/volumes/${volume}`).expect(200);
    expect((body as Json)['volume']).to.include({ status: 'in-use' });
    expect([await cloud.podOf(id), await cloud.podOf(volume)]).to.deep.equal(['Pod1', 'Pod1']);
    expect(await moving.inPod('Pod2', 'servers')).to.deep.equal([]);
    expect(await moving.inPod('Pod2', 'volumes')).to.deep.equal([]);
    expect(await net.list('port', `name=${port}`, { as: admin, at: 'Pod2' })).to.deep.equal([]);
    expect([...(await net.routings(port)).keys()]).to.deep.equal(['Pod1']);
    expect(await moving.hasClaims('Pod2', id)).to.equal(false);
    expect(await moving.hasClaims('Pod1', id)).to.equal(true);
  };

  for (const step of ['check', 'prepare', 'copy', 'create', 'settle', 'switch'])
    it(`are undone if they are cancelled before the step ${step}`, async () => {
      const migration = await start();
      await moving.passTo(migration, step);
      const { body } = await moving.ask('DELETE', `/${migration}`).expect(200);
      expect((body as Json)['migration']).to.include({ status: 'CANCELLING' });
      const ended = await moving.finish(migration);
      expect(ended['status'], JSON.stringify(ended)).to.equal('CANCELLED');
      expect(ended['moves'][0]).to.include({ status: 'UNDONE', error: null });
      await expectUndone();
      await moving.ask('DELETE', `/${migration}`).expect(409);
    });

  it('are completed if they are cancelled after the target has taken over', async () => {
    const migration = await start();
    await moving.passTo(migration, 'release');
    await moving.ask('DELETE', `/${migration}`).expect(200);
    expect((await moving.finish(migration))['status']).to.equal('SUCCESS');
    expect(await cloud.podOf(id)).to.equal('Pod2');
  });

  const targetFaults = [
    ['compute', 'servers:create', 'the pod does not build the server'],
    ['volume', 'volumes:create', 'the pod does not create the volume'],
    ['network', 'ports:create', 'the pod does not create the port'],
  ] as const;
  for (const [service, operation, title] of targetFaults)
    it(`are undone if ${title}`, async () => {
      await faults.add({
        match: { service, region: 'Pod2', inside: true, operation },
        effect: { status: 503, message: 'Not today.' },
      });
      const ended = await moving.finish(await start());
      expect(ended['status'], JSON.stringify(ended)).to.equal('FAIL');
      expect(ended['moves'][0]).to.include({ status: 'UNDONE' });
      expect(ended['moves'][0]['error']).to.contain('Not today.');
      await faults.clear();
      await expectUndone();
    });

  it('go on after a passing fault', async () => {
    await faults.add({
      match: { service: 'compute', region: 'Pod2', inside: true, operation: 'servers:create' },
      effect: { status: 503 },
      count: 2,
    });
    expect((await moving.finish(await start()))['status']).to.equal('SUCCESS');
  });

  it('are undone if no host of the target has room', async () => {
    for (const { id: service } of await services())
      await cloud
        .nova('PUT', `/os-services/${service}`, {
          as: admin,
          at: 'Pod2',
          body: { status: 'disabled' },
        })
        .expect(200);
    const ended = await moving.finish(await start());
    expect(ended['status'], JSON.stringify(ended)).to.equal('FAIL');
    expect(ended['moves'][0]['error']).to.contain('Pod2 could not build the server');
    await expectUndone();
  });

  async function services(): Promise<Json[]> {
    const options = { as: admin, at: 'Pod2' };
    const { body } = await cloud.nova('GET', '/os-services?binary=nova-compute', options);
    return (body as Json)['services'] as Json[];
  }

  it('refuse the requests of tenants until they have ended', async () => {
    const migration = await start();
    await moving.passTo(migration, 'create');
    expect(await cloud.show(id)).to.include({ status: 'SHUTOFF', locked: true });
    const started = cloud.nova('POST', `/servers/${id}/action`, { body: { 'os-start': null } });
    expect(messageOf((await started.expect(409)).body)).to.contain('is locked');
    await cloud.nova('DELETE', `/servers/${id}`).expect(409);
    await cloud.cinder('DELETE', `/volumes/${volume}`).expect(400);
    await cloud.nova('DELETE', `/servers/${id}/os-interface/${port}`).expect(409);
    expect((await moving.finish(migration))['status']).to.equal('SUCCESS');
    await cloud.nova('DELETE', `/servers/${id}`).expect(204);
    expect(await moving.inPod('Pod2', 'servers')).to.deep.equal([]);
  });

  it('follow changes of ports and groups meanwhile', async () => {
    const migration = await start();
    await moving.passTo(migration, 'create');
    await net.update('port', port, { description: 'changed' });
    expect((await moving.finish(migration))['status']).to.equal('SUCCESS');
    expect(await net.inPod('Pod2', 'port', port)).to.include({ description: 'changed' });
  });
});
