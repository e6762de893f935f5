// Tests of server groups at the Compute gateway.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { alice, messageOf, Tenancy, threePods, type Json } from './support.ts';

onEachDatabase('gateway: server groups', threePods, (world) => {
  let cloud: Tenancy;
  let id: string;
  beforeEach(async () => {
    cloud = new Tenancy(world);
    const body = { server_group: { name: 'g', policy: 'anti-affinity' } };
    const created = await cloud.nova('POST', '/os-server-groups', { body }).expect(200);
    id = (created.body as Json)['server_group'].id as string;
  });

  it('POST /os-server-groups creates the group in the pod of general requests', async () => {
    expect(await cloud.podOf(id)).to.equal('Pod1');
  });

  it('POST /servers creates a member in the pod of its group', async () => {
    await cloud.pod('Pod1', { threshold_percent: 1 });
    const server = await cloud.server('a', {}, alice, { group: id });
    expect(await cloud.podOf(server['id'])).to.equal('Pod1');
  });

  it('GET /os-server-groups lists the groups with their members', async () => {
    const server = await cloud.server('a', {}, alice, { group: id });
    const { body: listed } = await cloud.nova('GET', '/os-server-groups').expect(200);
    expect(
      ((listed as Json)['server_groups'] as Json[]).map((group) => [group['id'], group['members']]),
    ).to.deep.equal([[id, [server['id']]]]);
  });

  it('GET /os-server-groups/{server_group_id} returns 404 for a deleted group', async () => {
    await cloud.nova('DELETE', `/os-server-groups/${id}`).expect(204);
    expect(
      messageOf((await cloud.nova('GET', `/os-server-groups/${id}`).expect(404)).body),
    ).to.match(/Instance group .* could not be found/);
  });
});
