// Tests that servers are put on hosts as their groups want: the specification's example first.
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

  it('anti-affinity with 3 to a host puts 6 servers on 2 hosts, 3 and 3, and has no host for a 7th', async () => {
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

  it('anti-affinity without a rule takes one server a host', async () => {
    const group = await madeGroup(world, 'anti-affinity');
    expect((await inGroup(group)).status).to.equal('ACTIVE');
    expect((await inGroup(group)).status).to.equal('ACTIVE');
    expect((await inGroup(group)).fault?.message).to.equal(none);
    expect(await spread(world)).to.deep.equal({ 'compute-1': 1, 'compute-2': 1, null: 1 });
  });

  it('affinity keeps all on one host', async () => {
    const group = await madeGroup(world, 'affinity');
    for (let index = 0; index < 4; index++)
      expect((await inGroup(group)).status).to.equal('ACTIVE');
    expect(Object.values(await spread(world))).to.deep.equal([4]);
  });

  it('the soft policies place all, together or apart as far as that goes', async () => {
    const together = await madeGroup(world, 'soft-affinity');
    for (let index = 0; index < 3; index++)
      expect((await inGroup(together)).status).to.equal('ACTIVE');
    expect(Object.values(await spread(world))).to.deep.equal([3]);
    const apart = await madeGroup(world, 'soft-anti-affinity');
    const hosts = [
      await inGroup(apart),
      await inGroup(apart),
      await inGroup(apart),
      await inGroup(apart),
    ].map((one) => one['OS-EXT-SRV-ATTR:host']);
    expect(hosts.toSorted()).to.deep.equal(['compute-1', 'compute-1', 'compute-2', 'compute-2']);
  });

  it('several servers of one request find hosts together, or none of them does', async () => {
    const group = await madeGroup(world, 'anti-affinity');
    const two = await postServer(world, { min_count: 2 }, { ...admin, hints: { group } });
    expect(two.status).to.equal(202);
    expect(await spread(world)).to.deep.equal({ 'compute-1': 1, 'compute-2': 1 });
    const other = await madeGroup(world, 'anti-affinity');
    await postServer(world, { min_count: 3 }, { ...admin, hints: { group: other } }).expect(202);
    expect(await spread(world)).to.deep.equal({ 'compute-1': 1, 'compute-2': 1, null: 3 });
  });

  it('the place of a deleted server is free again', async () => {
    const group = await madeGroup(world, 'anti-affinity');
    const first = await inGroup(group);
    await inGroup(group);
    await ask(world, 'DELETE', `/servers/${first.id}`, admin).expect(204);
    expect((await inGroup(group))['OS-EXT-SRV-ATTR:host']).to.equal(first['OS-EXT-SRV-ATTR:host']);
  });

  it('a server that may still go back keeps its place', async () => {
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

  it('a host that is forced is checked late, and refuses what its group forbids', async () => {
    const group = await madeGroup(world, 'anti-affinity');
    const forced = { availability_zone: 'nova:compute-1' };
    expect((await madeServer(world, forced, { ...admin, hints: { group } })).status).to.equal(
      'ACTIVE',
    );
    const second = await madeServer(world, forced, { ...admin, hints: { group } });
    expect(second.fault?.message).to.equal('Anti-affinity instance group policy was violated');
  });

  it('an affinity group has no other host to move to', async () => {
    const server = await inGroup(await madeGroup(world, 'affinity'));
    const after = await act(world, server.id, { migrate: null });
    expect(after).to.include({
      status: 'ACTIVE',
      'OS-EXT-SRV-ATTR:host': server['OS-EXT-SRV-ATTR:host'],
    });
  });

  it('refuses a group that there is not, and one that is full', async () => {
    const unknown = '11111111-1111-1111-1111-111111111111';
    expectFault(
      await postServer(world, {}, { ...member, hints: { group: unknown } }),
      400,
      `Instance group ${unknown} could not be found.`,
    );
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

  it('a deleted group lets its servers be', async () => {
    const group = await madeGroup(world, 'anti-affinity');
    const server = await inGroup(group);
    expect(server['server_groups']).to.deep.equal([group]);
    expect(server['scheduler_hints']).to.deep.equal({ group: [group] });
    await ask(world, 'DELETE', `/os-server-groups/${group}`, admin).expect(204);
    expect((await showServer(world, server.id))['server_groups']).to.deep.equal([]);
  });
});
