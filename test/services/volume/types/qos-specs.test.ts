// Tests QoS specs and their association with volume types.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, askAsAdmin, createType, messageOf } from '../support.ts';

onEachDatabase('QoS specs', { auth: 'noauth2' }, (world) => {
  const create = async (specs: object): Promise<string> =>
    (
      (await askAsAdmin(world, 'POST', '/qos-specs', { qos_specs: specs }).expect(200)).body as {
        qos_specs: { id: string };
      }
    ).qos_specs.id;
  const createGold = (): Promise<string> =>
    create({ name: ' gold ', consumer: 'both', iops: '100' });
  const show = async (id: string): Promise<unknown> =>
    (await askAsAdmin(world, 'GET', `/qos-specs/${id}`).expect(200)).body.qos_specs;

  describe('POST /qos-specs', () => {
    it('creates QoS specs, and trims the name', async () => {
      const id = await createGold();
      expect(await show(id)).to.deep.equal({
        id,
        name: 'gold',
        consumer: 'both',
        specs: { iops: '100' },
      });
    });

    it('returns 409 if others have the name', async () => {
      await createGold();
      const body = { qos_specs: { name: 'gold' } };
      const refused = await askAsAdmin(world, 'POST', '/qos-specs', body).expect(409);
      expect(messageOf(refused)).to.equal('QoS Specs gold already exists.');
    });

    it('returns 400 for an unknown consumer', async () => {
      const body = { qos_specs: { name: 'x', consumer: 'me' } };
      const refused = await askAsAdmin(world, 'POST', '/qos-specs', body).expect(400);
      expect(messageOf(refused)).to.contain('Valid consumer of QoS specs are');
    });
  });

  describe('GET /qos-specs', () => {
    it('returns 403 for a member', async () => {
      await ask(world, 'alice', 'GET', '/qos-specs').expect(403);
    });
  });

  describe('PUT /qos-specs/{id}', () => {
    it('changes the consumer and adds specs', async () => {
      const id = await createGold();
      await askAsAdmin(world, 'PUT', `/qos-specs/${id}`, {
        qos_specs: { consumer: 'back-end', bytes: '5' },
      }).expect(200);
      expect(await show(id)).to.deep.equal({
        id,
        name: 'gold',
        consumer: 'back-end',
        specs: { iops: '100', bytes: '5' },
      });
    });
  });

  describe('PUT /qos-specs/{id}/delete_keys', () => {
    it('deletes specs, and then returns 404', async () => {
      const id = await createGold();
      const path = `/qos-specs/${id}/delete_keys`;
      await askAsAdmin(world, 'PUT', path, { keys: ['iops'] }).expect(202);
      expect(await show(id)).to.deep.include({ specs: {} });
      const refused = await askAsAdmin(world, 'PUT', path, { keys: ['iops'] }).expect(404);
      expect(messageOf(refused)).to.equal(`QoS spec ${id} has no spec with key iops.`);
    });
  });

  describe('DELETE /qos-specs/{id}', () => {
    it('deletes QoS specs', async () => {
      const id = await createGold();
      await askAsAdmin(world, 'DELETE', `/qos-specs/${id}`).expect(202);
      const missing = await askAsAdmin(world, 'GET', `/qos-specs/${id}`).expect(404);
      expect(messageOf(missing)).to.equal(`No such QoS spec ${id}.`);
    });
  });

  describe('associations with types', () => {
    let first: string;
    let second: string;
    let type: string;
    const qosSpecsOfType = async (): Promise<unknown> =>
      (await askAsAdmin(world, 'GET', `/types/${type}`)).body.volume_type.qos_specs_id;
    const associate = (id: string) =>
      askAsAdmin(world, 'GET', `/qos-specs/${id}/associate?vol_type_id=${type}`);

    beforeEach(async () => {
      first = await create({ name: 'one' });
      second = await create({ name: 'two' });
      type = await createType(world, { name: 't' });
    });

    it('associate returns 400 without a type', async () => {
      const refused = await askAsAdmin(world, 'GET', `/qos-specs/${first}/associate`).expect(400);
      expect(messageOf(refused)).to.contain('must not be None');
    });

    it('associate associates a type, which associations then lists', async () => {
      await associate(first).expect(202);
      expect(await qosSpecsOfType()).to.equal(first);
      expect(
        (await askAsAdmin(world, 'GET', `/qos-specs/${first}/associations`)).body.qos_associations,
      ).to.deep.equal([{ association_type: 'volume_type', name: 't', id: type }]);
    });

    it('associate returns 400 for a type with other QoS specs', async () => {
      await associate(first).expect(202);
      expect(messageOf(await associate(second).expect(400))).to.contain(
        'already associated with another qos specs',
      );
    });

    it('disassociate disassociates a type', async () => {
      await associate(first).expect(202);
      const path = `/qos-specs/${first}/disassociate?vol_type_id=${type}`;
      await askAsAdmin(world, 'GET', path).expect(202);
      expect(await qosSpecsOfType()).to.equal(null);
    });

    it('disassociate_all disassociates all types', async () => {
      await associate(second).expect(202);
      await askAsAdmin(world, 'GET', `/qos-specs/${second}/disassociate_all`).expect(202);
      expect(await qosSpecsOfType()).to.equal(null);
      await associate(first).expect(202);
    });

    it('DELETE returns 400 for associated QoS specs', async () => {
      await associate(first).expect(202);
      const refused = await askAsAdmin(world, 'DELETE', `/qos-specs/${first}`).expect(400);
      expect(messageOf(refused)).to.equal('Qos specs still in use.');
    });

    it('DELETE with force deletes and disassociates QoS specs', async () => {
      await associate(first).expect(202);
      await askAsAdmin(world, 'DELETE', `/qos-specs/${first}?force=True`).expect(202);
      expect(await qosSpecsOfType()).to.equal(null);
    });
  });
});
