// Tests of the scheduler with server groups, of which the first is the specification's example.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, config, expectFault, member } from '../support.ts';
import {
  act,
  admin,
  liftQuotas,
  madeGroup,
  madeServer,
  newest,
  postServer,
  showServer,
  spread,
  type Shown,
} from '../servers/makers.ts';

const none = 'No valid host was found. There are not enough hosts available.';

onEachDatabase('compute: servers in groups', { ...config, hosts: '2' }, (world) => {
  const inGroup = (group: string): Promise<Shown> =>
    madeServer(world, {}, { ...admin, hints: { group } });

  it('places 3 servers on each host for anti-affinity with a limit of 3 #server-groups-2 #server-groups-3 #server-groups-5', async () => {
    const group = await madeGroup(world, 'anti-affinity', { max_server_per_host: 3 });
    for (let index = 0; index < 6; index++)
      expect((await inGroup(group)).status).to.equal('ACTIVE');
    expect(await spread(world)).to.deep.equal({ 'compute-1': 3, 'compute-2': 3 });
    const last = await inGroup(group);
    expect(last).to.include({
      status: 'ERROR',
      'OS-EXT-STS:vm_state': 'error',
      'OS-EXT-STS:task_state': null,
      'OS-EXT-SRV-ATTR:host': null,
    });
    expect(last.fault).to.include({ code: 500, message: none });
    const shown = await ask(world, 'GET', `/os-server-groups/${group}`, {
      ...admin,
      version: newest,
    });
    expect(shown.body.server_group.members).to.have.length(7);
  });

  it('places one server on each host for anti-affinity without a rule #server-groups-3 #server-groups-4', async () => {
    const group = await madeGroup(world, 'anti-affinity');
    expect((await inGroup(group)).status).to.equal('ACTIVE');
    expect((await inGroup(group)).status).to.equal('ACTIVE');
    expect((await inGroup(group)).fault?.message).to.equal(none);
    expect(await spread(world)).to.deep.equal({ 'compute-1': 1, 'compute-2': 1, null: 1 });
  });

  it('places all servers on one host for affinity', async () => {
    const group = await madeGroup(world, 'affinity');
    for (let index = 0; index < 4; index++)
      expect((await inGroup(group)).status).to.equal('ACTIVE');
    expect(Object.values(await spread(world))).to.deep.equal([4]);
  });

  it('places servers on one host for soft-affinity', async () => {
    const together = await madeGroup(world, 'soft-affinity');
    for (let index = 0; index < 3; index++)
      expect((await inGroup(together)).status).to.equal('ACTIVE');
    expect(Object.values(await spread(world))).to.deep.equal([3]);
  });

  it('spreads servers for soft-anti-affinity, and places more servers than hosts #server-groups-6', async () => {
    const apart = await madeGroup(world, 'soft-anti-affinity');
    const hosts = [
      await inGroup(apart),
      await inGroup(apart),
      await inGroup(apart),
      await inGroup(apart),
    ].map((one) => one['OS-EXT-SRV-ATTR:host']);
    expect(hosts.toSorted()).to.deep.equal(['compute-1', 'compute-1', 'compute-2', 'compute-2']);
  });

  it('selects hosts for all servers of a request, or for none of them', async () => {
    const group = await madeGroup(world, 'anti-affinity');
    const two = await postServer(world, { min_count: 2 }, { ...admin, hints: { group } });
    expect(two.status).to.equal(202);
    expect(await spread(world)).to.deep.equal({ 'compute-1': 1, 'compute-2': 1 });
    const other = await madeGroup(world, 'anti-affinity');
    await postServer(world, { min_count: 3 }, { ...admin, hints: { group: other } }).expect(202);
    expect(await spread(world)).to.deep.equal({ 'compute-1': 1, 'compute-2': 1, null: 3 });
  });

  it('reuses the host of a deleted member', async () => {
    const group = await madeGroup(world, 'anti-affinity');
    const first = await inGroup(group);
    await inGroup(group);
    await ask(world, 'DELETE', `/servers/${first.id}`, admin).expect(204);
    expect((await inGroup(group))['OS-EXT-SRV-ATTR:host']).to.equal(first['OS-EXT-SRV-ATTR:host']);
  });

  it('counts a member on its old host until its migration is confirmed', async () => {
    const group = await madeGroup(world, 'anti-affinity');
    const first = await inGroup(group);
    const moved = await act(world, first.id, { migrate: null });
    expect(moved.status).to.equal('VERIFY_RESIZE');
    expect((await inGroup(group)).fault?.message).to.equal(none);
    const back = await act(world, first.id, { revertResize: null });
    expect(back).to.include({
      status: 'ACTIVE',
      'OS-EXT-SRV-ATTR:host': first['OS-EXT-SRV-ATTR:host'],
    });
  });

  it('fails to build a server on a forced host that the policy forbids', async () => {
    const group = await madeGroup(world, 'anti-affinity');
    const forced = { availability_zone: 'nova:compute-1' };
    expect((await madeServer(world, forced, { ...admin, hints: { group } })).status).to.equal(
      'ACTIVE',
    );
    const second = await madeServer(world, forced, { ...admin, hints: { group } });
    expect(second.fault?.message).to.equal('Anti-affinity instance group policy was violated');
  });

  it('does not migrate a member of an affinity group to another host', async () => {
    const server = await inGroup(await madeGroup(world, 'affinity'));
    const after = await act(world, server.id, { migrate: null });
    expect(after).to.include({
      status: 'ACTIVE',
      'OS-EXT-SRV-ATTR:host': server['OS-EXT-SRV-ATTR:host'],
    });
  });

  it('returns 400 for an unknown group', async () => {
    const unknown = '11111111-1111-1111-1111-111111111111';
    expectFault(
      await postServer(world, {}, { ...member, hints: { group: unknown } }),
      400,
      `Instance group ${unknown} could not be found.`,
    );
  });

  it('returns 403 when the quota of members is exceeded', async () => {
    await liftQuotas(world);
    await ask(world, 'PUT', '/os-quota-sets/demo', {
      ...admin,
      version: newest,
      body: { quota_set: { server_group_members: 1 } },
    }).expect(200);
    const group = await madeGroup(world, 'soft-affinity');
    await inGroup(group);
    expectFault(
      await postServer(world, {}, { ...admin, hints: { group } }),
      403,
      'Quota exceeded, too many servers in group',
    );
    expect(Object.values(await spread(world))).to.deep.equal([1]);
  });

  it('keeps the servers of a deleted group', async () => {
    const group = await madeGroup(world, 'anti-affinity');
    const server = await inGroup(group);
    expect(server['server_groups']).to.deep.equal([group]);
    expect(server['scheduler_hints']).to.deep.equal({ group: [group] });
    await ask(world, 'DELETE', `/os-server-groups/${group}`, admin).expect(204);
    expect((await showServer(world, server.id))['server_groups']).to.deep.equal([]);
  });
});
