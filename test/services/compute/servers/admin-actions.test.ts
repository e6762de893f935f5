// Tests of actions that change no state: network information, crash dumps, and those that are gone.
import { expect } from 'chai';
import { onEachDatabase, type Asked } from '../../../support/cloud.ts';
import { ask, config, expectFault, member } from '../support.ts';
import { act, admin, madeServer, newest } from './makers.ts';

onEachDatabase('compute: administrative actions', config, (world) => {
  const send = (id: string, body: object, version = newest, as: Asked = admin) =>
    ask(world, 'POST', `/servers/${id}/action`, { ...as, version, body });

  it('injectNetworkInfo returns 202 for administrators, without effect', async () => {
    const { id } = await madeServer(world);
    expect((await act(world, id, { injectNetworkInfo: null })).status).to.equal('ACTIVE');
    const { instanceActions } = (
      await ask(world, 'GET', `/servers/${id}/os-instance-actions`, { ...admin, version: newest })
    ).body;
    expect(instanceActions).to.have.length(1);
    expectFault(
      await send(id, { injectNetworkInfo: null }, newest, member),
      403,
      "Policy doesn't allow os_compute_api:os-admin-actions:inject_network_info to be performed.",
    );
    expectFault(
      await send('nope', { injectNetworkInfo: null }),
      404,
      'Instance nope could not be found.',
    );
  });

  it('resetNetwork returns 410', async () => {
    const message = 'This resource is no longer available. No forwarding address is given.';
    expectFault(await send('nope', { resetNetwork: null }, '2.1', member), 410, message);
  });

  it('trigger_crash_dump works from 2.17 on, for running servers', async () => {
    const { id } = await madeServer(world);
    expectFault(
      await send(id, { trigger_crash_dump: null }, '2.16'),
      404,
      'The resource could not be found.',
    );
    expectFault(
      await send(id, { trigger_crash_dump: 'x' }, '2.16'),
      404,
      'The resource could not be found.',
    );
    expectFault(
      await send(id, { trigger_crash_dump: 'x' }, '2.17'),
      400,
      /'x' is not of type 'null'/,
    );
    expect(await act(world, id, { trigger_crash_dump: null })).to.deep.include({
      status: 'ACTIVE',
      'OS-EXT-STS:task_state': null,
    });
    const { instanceActions } = (
      await ask(world, 'GET', `/servers/${id}/os-instance-actions`, { ...admin, version: newest })
    ).body;
    expect(instanceActions[0].action).to.equal('trigger_crash_dump');
    await act(world, id, { 'os-stop': null });
    expectFault(
      await send(id, { trigger_crash_dump: null }),
      409,
      `Cannot 'trigger_crash_dump' instance ${id} while it is in vm_state stopped`,
    );
    await act(world, id, { lock: null });
    expectFault(
      await send(id, { trigger_crash_dump: null }, newest, member),
      409,
      `Instance ${id} is locked`,
    );
  });
});
