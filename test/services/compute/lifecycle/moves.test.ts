// Tests of moves that are refused: by the state of the server, and by hosts that are down.
import { expect } from 'chai';
import type supertest from 'supertest';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, config, expectFault } from '../support.ts';
import { act, admin, madeServer, newest, showServer } from '../servers/makers.ts';

onEachDatabase('compute: moves', config, (world) => {
  const at = { ...admin, version: newest };

  const post = (id: string, body: object, version = newest): supertest.Test =>
    ask(world, 'POST', `/servers/${id}/action`, { ...admin, version, body });

  const forceDown = async (host: string): Promise<void> => {
    const { services } = (await ask(world, 'GET', `/os-services?host=${host}`, at)).body as { services: { id: string }[] };
    await ask(world, 'PUT', `/os-services/${services[0]!.id}`, { ...at, body: { forced_down: true } }).expect(200);
  };

  const statusesOf = async (id: string): Promise<string[]> => {
    const reply = await ask(world, 'GET', `/os-migrations?instance_uuid=${id}`, at);
    return (reply.body as { migrations: { status: string }[] }).migrations.map(({ status }) => status);
  };

  /** What the newest action of a server has failed for. */
  const failureOf = async (id: string): Promise<unknown> => {
    const actions = await ask(world, 'GET', `/servers/${id}/os-instance-actions`, at);
    const { request_id: request } = actions.body.instanceActions[0] as { request_id: string };
    const shown = await ask(world, 'GET', `/servers/${id}/os-instance-actions/${request}`, at);
    return (shown.body.instanceAction.events as { details: string }[])[0]!.details;
  };

  it('are refused for the state of a server on no host, and not for the lack of a host', async () => {
    const { id } = await madeServer(world);
    await act(world, id, { shelve: null });
    const refused: Readonly<Record<string, object>> = {
      resize: { resize: { flavorRef: '2' } },
      migrate: { migrate: null },
      'os-migrateLive': { 'os-migrateLive': { host: null, block_migration: 'auto' } },
      evacuate: { evacuate: {} },
    };
    for (const [action, body] of Object.entries(refused))
      expectFault(await post(id, body), 409, `Cannot '${action}' instance ${id} while it is in vm_state shelved_offloaded`);
    expectFault(
      await ask(world, 'POST', `/servers/${id}/os-interface`, { ...at, body: {} }),
      409,
      `Cannot 'attach_interface' instance ${id} while it is in vm_state shelved_offloaded`,
    );
    // What is done on the host asks for the host first.
    for (const body of [{ 'os-start': null }, { 'os-stop': null }, { trigger_crash_dump: null }])
      expectFault(await post(id, body), 409, `Instance ${id} is not ready`);
  });

  it('live migration fails while the host of the server is down', async () => {
    const { id } = await madeServer(world, { availability_zone: 'nova:compute-1' });
    await forceDown('compute-1');
    const down = 'Compute service of compute-1 is unavailable at this time.';
    const live = { 'os-migrateLive': { host: null, block_migration: 'auto' } };
    expect(await act(world, id, live)).to.include({ status: 'ACTIVE', 'OS-EXT-SRV-ATTR:host': 'compute-1' });
    expect(await failureOf(id)).to.equal(down);
    expect(await statusesOf(id)).to.deep.equal(['error']);
    expectFault(await post(id, live, '2.33'), 400, down);
  });

  it('live migration that is forced goes neither to the host of the server nor to one that is down', async () => {
    const { id } = await madeServer(world, { availability_zone: 'nova:compute-1' });
    await forceDown('compute-2');
    const live = (host: string): object => ({ 'os-migrateLive': { host, block_migration: 'auto', force: true } });
    const reasons: Readonly<Record<string, string>> = {
      'compute-1': `Unable to migrate instance (${id}) to current host (compute-1).`,
      'compute-2': 'Compute service of compute-2 is unavailable at this time.',
    };
    for (const [host, reason] of Object.entries(reasons)) {
      expect((await post(id, live(host), '2.67')).status).to.equal(202);
      expect(await showServer(world, id)).to.include({ status: 'ACTIVE', 'OS-EXT-SRV-ATTR:host': 'compute-1' });
      expect(await failureOf(id)).to.equal(reason);
      expectFault(await post(id, live(host), '2.30'), 400, reason);
    }
    expect(await statusesOf(id)).to.deep.equal(['error', 'error']);
    expect((await post(id, live('compute-3'), '2.67')).status).to.equal(202);
    expect((await showServer(world, id))['OS-EXT-SRV-ATTR:host']).to.equal('compute-3');
  });
});
