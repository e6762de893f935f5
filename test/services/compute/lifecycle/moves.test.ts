// Tests of moves: their errors for states and hosts that are down, and evacuations.
import { expect } from 'chai';
import type supertest from 'supertest';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, config, expectFault } from '../support.ts';
import { act, admin, imageId, madeServer, newest, showServer } from '../servers/makers.ts';

onEachDatabase('compute: moves', config, (world) => {
  const at = { ...admin, version: newest };

  const post = (id: string, body: object, version = newest): supertest.Test =>
    ask(world, 'POST', `/servers/${id}/action`, { ...admin, version, body });

  const forceDown = async (host: string, down = true): Promise<void> => {
    const { services } = (await ask(world, 'GET', `/os-services?host=${host}`, at)).body as {
      services: { id: string }[];
    };
    await ask(world, 'PUT', `/os-services/${services[0]!.id}`, {
      ...at,
      body: { forced_down: down },
    }).expect(200);
  };

  const statusesOf = async (id: string): Promise<string[]> => {
    const reply = await ask(world, 'GET', `/os-migrations?instance_uuid=${id}`, at);
    return (reply.body as { migrations: { status: string }[] }).migrations.map(
      ({ status }) => status,
    );
  };

  /** The error message of a server's newest action. */
  const failureOf = async (id: string): Promise<unknown> => {
    const actions = await ask(world, 'GET', `/servers/${id}/os-instance-actions`, at);
    const { request_id: request } = actions.body.instanceActions[0] as { request_id: string };
    const shown = await ask(world, 'GET', `/servers/${id}/os-instance-actions/${request}`, at);
    return (shown.body.instanceAction.events as { details: string }[])[0]!.details;
  };

  it('returns 409 for a shelved server, naming its state before the missing host', async () => {
    const { id } = await madeServer(world);
    await act(world, id, { shelve: null });
    const refused: Readonly<Record<string, object>> = {
      resize: { resize: { flavorRef: '2' } },
      migrate: { migrate: null },
      'os-migrateLive': { 'os-migrateLive': { host: null, block_migration: 'auto' } },
      evacuate: { evacuate: {} },
    };
    for (const [action, body] of Object.entries(refused))
      expectFault(
        await post(id, body),
        409,
        `Cannot '${action}' instance ${id} while it is in vm_state shelved_offloaded`,
      );
    expectFault(
      await ask(world, 'POST', `/servers/${id}/os-interface`, { ...at, body: {} }),
      409,
      `Cannot 'attach_interface' instance ${id} while it is in vm_state shelved_offloaded`,
    );
    // Actions that run on the host check the host first.
    for (const body of [{ 'os-start': null }, { 'os-stop': null }, { trigger_crash_dump: null }])
      expectFault(await post(id, body), 409, `Instance ${id} is not ready`);
  });

  const invalid = (action: string, server: string): string =>
    `Instance ${server} is in an invalid state for '${action}'`;

  it('returns 409 for aborting or completing a live migration that has ended', async () => {
    const { id } = await madeServer(world);
    const live = { 'os-migrateLive': { host: null, block_migration: 'auto' } };
    await act(world, id, live);
    const migrations = await ask(world, 'GET', `/os-migrations?instance_uuid=${id}`, at);
    const [first] = (migrations.body as { migrations: { id: number }[] }).migrations;
    const path = `/servers/${id}/migrations/${first!.id}`;
    expectFault(await ask(world, 'DELETE', path, at), 409, invalid('abort live migration', id));
    const complete = await ask(world, 'POST', `${path}/action`, {
      ...at,
      body: { force_complete: null },
    });
    expectFault(complete, 409, invalid('force_complete', id));
  });

  it('returns 409 for actions of a server that has never run', async () => {
    const never = await madeServer(world, { availability_zone: 'nova:nowhere' });
    expectFault(
      await post(never.id, { 'os-stop': null }),
      409,
      `Instance ${never.id} is not ready`,
    );
    for (const [action, body] of [
      ['rebuild', { rebuild: { imageRef: imageId } }],
      ['reboot', { reboot: { type: 'HARD' } }],
      ['evacuate', { evacuate: {} }],
    ] as const)
      expectFault(await post(never.id, body), 409, invalid(action, never.id));
  });

  it('keeps the allocations of an evacuated server on the old host until that is up', async () => {
    const { id } = await madeServer(world, { availability_zone: 'nova:compute-1' });
    const { resource_providers: providers } = (
      await world.ask('placement', 'GET', '/placement/resource_providers')
    ).body as {
      resource_providers: { uuid: string; name: string }[];
    };
    const holders = async (): Promise<string[]> => {
      const { allocations } = (await world.ask('placement', 'GET', `/placement/allocations/${id}`))
        .body as {
        allocations: Record<string, object>;
      };
      return providers.filter(({ uuid }) => uuid in allocations).map(({ name }) => name);
    };
    await forceDown('compute-1');
    const evacuated = await act(world, id, { evacuate: { host: 'compute-2' } }, 200);
    expect(evacuated['OS-EXT-SRV-ATTR:host']).to.equal('compute-2');
    expect(await statusesOf(id)).to.deep.equal(['done']);
    expect(await holders()).to.have.members(['compute-1', 'compute-2']);
    await forceDown('compute-1', false);
    expect(await statusesOf(id)).to.deep.equal(['completed']);
    expect(await holders()).to.deep.equal(['compute-2']);
  });

  it('allows a host to be removed after its servers are evacuated', async () => {
    const { id } = await madeServer(world, { availability_zone: 'nova:compute-1' });
    await forceDown('compute-1');
    await act(world, id, { evacuate: {} }, 200);
    const { services } = (await ask(world, 'GET', '/os-services?host=compute-1', at)).body as {
      services: { id: string }[];
    };
    await ask(world, 'DELETE', `/os-services/${services[0]!.id}`, at).expect(204);
    const { allocations } = (await world.ask('placement', 'GET', `/placement/allocations/${id}`))
      .body as { allocations: object };
    expect(Object.keys(allocations)).to.have.length(1);
    expect(await statusesOf(id)).to.deep.equal(['completed']);
  });

  it('fails a live migration while the host of the server is down', async () => {
    const { id } = await madeServer(world, { availability_zone: 'nova:compute-1' });
    await forceDown('compute-1');
    const down = 'Compute service of compute-1 is unavailable at this time.';
    const live = { 'os-migrateLive': { host: null, block_migration: 'auto' } };
    expect(await act(world, id, live)).to.include({
      status: 'ACTIVE',
      'OS-EXT-SRV-ATTR:host': 'compute-1',
    });
    expect(await failureOf(id)).to.equal(down);
    expect(await statusesOf(id)).to.deep.equal(['error']);
    // Until 2.33, the request waits and returns the error, which is also recorded.
    expectFault(await post(id, live, '2.33'), 400, down);
    expect(await showServer(world, id)).to.include({
      status: 'ACTIVE',
      'OS-EXT-STS:task_state': null,
    });
    expect(await failureOf(id)).to.equal(down);
    expect(await statusesOf(id)).to.deep.equal(['error', 'error']);
  });

  it('fails a forced live migration to the current host, and to one that is down', async () => {
    const { id } = await madeServer(world, { availability_zone: 'nova:compute-1' });
    await forceDown('compute-2');
    const live = (host: string): object => ({
      'os-migrateLive': { host, block_migration: 'auto', force: true },
    });
    const reasons: Readonly<Record<string, string>> = {
      'compute-1': `Unable to migrate instance (${id}) to current host (compute-1).`,
      'compute-2': 'Compute service of compute-2 is unavailable at this time.',
    };
    for (const [host, reason] of Object.entries(reasons)) {
      expect((await post(id, live(host), '2.67')).status).to.equal(202);
      expect(await showServer(world, id)).to.include({
        status: 'ACTIVE',
        'OS-EXT-SRV-ATTR:host': 'compute-1',
      });
      expect(await failureOf(id)).to.equal(reason);
      expectFault(await post(id, live(host), '2.30'), 400, reason);
    }
    expect(await statusesOf(id)).to.deep.equal(['error', 'error', 'error', 'error']);
    expect((await post(id, live('compute-3'), '2.67')).status).to.equal(202);
    expect((await showServer(world, id))['OS-EXT-SRV-ATTR:host']).to.equal('compute-3');
  });
});
