// Tests of the settings that upstream has in nova.conf.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  act,
  admin,
  imageId,
  madeServer,
  newest,
  postServer,
  showServer,
} from './servers/makers.ts';
import { ask, config, expectFault } from './support.ts';

onEachDatabase('compute: settings', { ...config, hosts: '1' }, (world) => {
  const change = (settings: object) =>
    world.http.put('/_emulator/compute/settings').send(settings).expect(200);
  const advance = (seconds: number) =>
    world.http.post('/_emulator/clock/advance').send({ seconds }).expect(200);

  it('allow_resize_to_same_host lets a resize stay on the only host', async () => {
    const { id } = await madeServer(world);
    const refused = await act(world, id, { resize: { flavorRef: '2' } });
    expect(refused).to.include({ status: 'ACTIVE', 'OS-EXT-SRV-ATTR:host': 'compute-1' });
    await change({ allow_resize_to_same_host: true });
    const resized = await act(world, id, { resize: { flavorRef: '2' } });
    expect(resized).to.include({ status: 'VERIFY_RESIZE', 'OS-EXT-SRV-ATTR:host': 'compute-1' });
    const confirmed = await act(world, id, { confirmResize: null }, 204);
    expect(confirmed).to.include({ status: 'ACTIVE', 'OS-EXT-SRV-ATTR:host': 'compute-1' });
    const { body } = await world
      .ask('placement', 'GET', `/placement/allocations/${id}`, { version: '1.39' })
      .expect(200);
    const [allocation] = Object.values(body.allocations as Record<string, { resources: object }>);
    expect(allocation!.resources).to.include({ VCPU: 1, MEMORY_MB: 2048 });
    const migrated = await act(world, id, { migrate: null });
    expect(migrated.status).to.equal('ACTIVE');
  });

  it('enable_instance_password shows the passwords of servers', async () => {
    const passwords = async (): Promise<boolean[]> => {
      const created = (await postServer(world).expect(202)).body.server as { id: string };
      await showServer(world, created.id);
      const send = async (action: object): Promise<object> => {
        const path = `/servers/${created.id}/action`;
        const { body } = await ask(world, 'POST', path, {
          ...admin,
          version: newest,
          body: action,
        });
        await showServer(world, created.id);
        return body as object;
      };
      const rebuilt = (await send({ rebuild: { imageRef: imageId } })) as { server: object };
      const rescued = await send({ rescue: null });
      return [created, rebuilt.server, rescued].map((one) => Object.hasOwn(one, 'adminPass'));
    };
    expect(await passwords()).to.deep.equal([true, true, true]);
    await change({ enable_instance_password: false });
    expect(await passwords()).to.deep.equal([false, false, false]);
  });

  it('max_local_block_devices limits the local disks of a new server', async () => {
    await change({ max_local_block_devices: 0 });
    expectFault(
      await postServer(world),
      400,
      'Block Device Mapping is Invalid: You specified more local devices than the limit allows',
    );
    await change({ max_local_block_devices: -1 });
    await postServer(world).expect(202);
  });

  it('shelved_offload_time keeps a shelved server on its host', async () => {
    await change({ shelved_offload_time: 60 });
    const { id } = await madeServer(world);
    const shelved = await act(world, id, { shelve: null });
    expect(shelved).to.include({ status: 'SHELVED', 'OS-EXT-SRV-ATTR:host': 'compute-1' });
    await advance(59);
    expect((await showServer(world, id)).status).to.equal('SHELVED');
    await advance(1);
    expect(await showServer(world, id)).to.include({
      status: 'SHELVED_OFFLOADED',
      'OS-EXT-SRV-ATTR:host': null,
    });
  });

  it('shelved_offload_time -1 leaves the offload to clients', async () => {
    await change({ shelved_offload_time: -1 });
    const { id } = await madeServer(world);
    await act(world, id, { shelve: null });
    await advance(100_000);
    expect((await showServer(world, id)).status).to.equal('SHELVED');
    expect((await act(world, id, { shelveOffload: null })).status).to.equal('SHELVED_OFFLOADED');
    const other = await madeServer(world);
    await act(world, other.id, { shelve: null });
    expect((await act(world, other.id, { unshelve: null })).status).to.equal('ACTIVE');
  });

  it('max_limit limits the pages of lists', async () => {
    await change({ max_limit: 2 });
    for (const name of ['a', 'b', 'c']) await madeServer(world, { name });
    const list = async (path: string) =>
      (await ask(world, 'GET', path, { ...admin, version: newest }).expect(200)).body as {
        servers: object[];
        servers_links?: object[];
        flavors: object[];
      };
    const first = await list('/servers');
    expect(first.servers).to.have.length(2);
    expect(first.servers_links).to.have.length(1);
    expect((await list('/servers?limit=3')).servers).to.have.length(2);
    expect((await list('/flavors')).flavors).to.have.length(2);
    await change({ max_limit: 0 });
    expect(await list('/servers')).to.deep.equal({ servers: [] });
  });

  it('are restored by a reset of Compute', async () => {
    await change({ max_local_block_devices: 0 });
    await world.http.post('/_emulator/reset').send({ service: 'compute' }).expect(204);
    await ask(world, 'GET', '/servers', { ...admin, version: newest }).expect(200);
    await postServer(world).expect(202);
  });
});
