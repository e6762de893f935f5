// Whether ports propagate the status of their uplink, and hints of ports for their backend.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, errorOf, make, makeNetwork, member, someone } from './support.ts';

onEachDatabase('network: uplinks and hints of ports', { auth: 'noauth2' }, (world) => {
  const admin = someone('admin', 'root', 'blue');
  const hints = { openvswitch: { other_config: { 'tx-steering': 'hash' } } };
  let networkId: string;
  beforeEach(async () => {
    networkId = (await makeNetwork(world, '10.1.0.0/24', member)).network.id;
  });
  const create = (fields: object, as = member) =>
    ask(world, 'POST', '/ports', { port: { network_id: networkId, ...fields } }, as);
  const update = (id: string, fields: object, as = member) =>
    ask(world, 'PUT', `/ports/${id}`, { port: fields }, as);

  it('propagates the status of the uplink unless the request says otherwise', async () => {
    const port = await make(world, 'port', { network_id: networkId }, member);
    expect(port['propagate_uplink_status']).to.equal(true);
    const { body } = await create({ propagate_uplink_status: false }).expect(201);
    expect(body.port.propagate_uplink_status).to.equal(false);
  });

  it('changes the propagation of a port', async () => {
    const { id } = await make(world, 'port', { network_id: networkId }, member);
    const { body } = await update(id, { propagate_uplink_status: false }).expect(200);
    expect(body.port.propagate_uplink_status).to.equal(false);
  });

  it('stores hints, and shows them to administrators only', async () => {
    const { body } = await create({ hints }, admin).expect(201);
    expect(body.port.hints).to.deep.equal(hints);
    const { id } = await make(world, 'port', { network_id: networkId }, member);
    const shown = await ask(world, 'GET', `/ports/${id}`, undefined, member).expect(200);
    expect(shown.body.port).not.to.have.property('hints');
  });

  it('removes hints by null and by an empty object', async () => {
    for (const none of [null, {}]) {
      const { body } = await create({ hints }, admin).expect(201);
      const changed = await update(body.port.id as string, { hints: none }, admin).expect(200);
      expect(changed.body.port.hints).to.equal(null);
    }
  });

  it('keeps hints in an update of another attribute', async () => {
    const { body } = await create({ hints }, admin).expect(201);
    const changed = await update(body.port.id as string, { name: 'renamed' }, admin).expect(200);
    expect(changed.body.port.hints).to.deep.equal(hints);
  });

  it('returns 403 for hints of users who are not administrators', async () => {
    await create({ hints }).expect(403);
    const { id } = await make(world, 'port', { network_id: networkId }, member);
    await update(id, { hints }).expect(403);
  });

  it('returns 400 for hints that no backend knows', async () => {
    expect(errorOf(await create({ hints: { ovn: {} } }, admin))).to.include(
      'Unexpected keys supplied: ovn',
    );
    const steering = { openvswitch: { other_config: { 'tx-steering': 'random' } } };
    expect(errorOf(await create({ hints: steering }, admin))).to.include('random is not in');
  });
});
