// Tests of the gateways with injected faults in pods: refusals, and replies that do not arrive.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { faultsOf } from '../../emulator/fault-injection/support.ts';
import { messageOf, Tenancy, threePods, type Json } from './support.ts';

onEachDatabase('gateway: injected faults', threePods, (world) => {
  const faults = faultsOf(world);
  let cloud: Tenancy;
  beforeEach(() => (cloud = new Tenancy(world)));
  afterEach(() => faults.clear());

  const inPod = { service: 'compute', region: 'Pod1', inside: true } as const;
  const servers = async (at: string): Promise<number> => {
    const { body } = await cloud.nova('GET', '/servers', { at }).expect(200);
    return ((body as Json)['servers'] as unknown[]).length;
  };

  it("returns a pod's error unchanged", async () => {
    await faults.add({
      match: { ...inPod, operation: 'servers:show' },
      effect: { status: 503, message: 'Not now.' },
      count: 1,
    });
    const { id } = await cloud.server('vm1');
    const refused = await cloud.nova('GET', `/servers/${id}`).expect(503);
    expect(messageOf(refused.body)).to.equal('Not now.');
    await cloud.nova('GET', `/servers/${id}`).expect(200);
    await cloud.nova('GET', `/servers/${id}`, { at: 'Pod1' }).expect(200);
  });

  it('returns 503 for a read to which the pod does not reply', async () => {
    const { id } = await cloud.server('vm1');
    await faults.add({ match: inPod, effect: { drop: true }, count: 1 });
    expect(messageOf((await cloud.nova('GET', `/servers/${id}`).expect(503)).body)).to.contain(
      'The pod Pod1 does not answer.',
    );
  });

  it('returns 504 for a write whose reply is lost, and shows its effect later', async () => {
    const { id } = await cloud.server('vm1');
    await faults.add({
      match: { ...inPod, method: 'POST' },
      effect: { drop: true, when: 'after' },
      count: 1,
    });
    const stop = cloud.nova('POST', `/servers/${id}/action`, { body: { 'os-stop': null } });
    expect(messageOf((await stop.expect(504)).body)).to.contain('went away before it had answered');
    expect((await cloud.show(id as string))['status']).to.equal('SHUTOFF');
  });

  it('lists a server that a pod created although its reply was lost', async () => {
    await faults.add({
      match: { ...inPod, operation: 'servers:create' },
      effect: { drop: true, when: 'after' },
      count: 1,
    });
    const server = { name: 'vm1', imageRef: await cloud.image(), flavorRef: '1', networks: 'none' };
    await cloud.nova('POST', '/servers', { body: { server } }).expect(504);
    expect([await servers('Pod1'), await servers('CentralRegion')]).to.deep.equal([1, 1]);
  });

  it("renders a fault of the gateway itself as the service's own error", async () => {
    await faults.add({
      match: { service: 'compute', region: 'CentralRegion' },
      effect: { status: 503 },
      count: 1,
    });
    const refused = await cloud.nova('GET', '/servers').expect(503);
    expect(refused.body).to.have.nested.property('serviceUnavailable.code', 503);
    expect(refused.headers['openstack-api-version']).to.equal('compute 2.90');
    expect([await servers('CentralRegion'), await faults.counts()]).to.deep.equal([0, ['2/1']]);
  });
});
