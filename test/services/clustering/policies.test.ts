// Tests of policies: their specs, and their attachment to clusters.
import { expect } from 'chai';
import { errorTypeOf, messageOf, onClustering } from './support.ts';

onClustering('policies', { az1: 2 }, (clustering) => {
  describe('POST /policies', () => {
    const messageFor = async (type: string, properties: object, status: number) =>
      messageOf(await clustering.postPolicy(type, properties).expect(status));

    it('returns 500 if the spec violates the schema, as upstream', async () => {
      const properties = { bogus: 1, event: 'CLUSTER_SCALE_IN' };
      const bogus = await clustering.postPolicy('scaling', properties).expect(500);
      expect([messageOf(bogus), errorTypeOf(bogus)]).to.deep.equal([
        "Unrecognizable spec item 'bogus'",
        'ESchema',
      ]);
      const zones = [{ name: 'az1', weight: 'x' }];
      expect(await messageFor('zone_placement', { zones }, 500)).to.equal(
        "The value 'x' is not a valid Integer",
      );
      expect(await messageFor('zone_placement', { zones: 'abc' }, 500)).to.equal(
        "'a' is not a Map",
      );
    });

    it('returns 404 for an unknown type', async () => {
      expect(await messageFor('bogus', {}, 404)).to.equal(
        "The policy_type 'senlin.policy.bogus-1.0' could not be found.",
      );
    });

    it('returns 400 for invalid properties', async () => {
      const scaling = { event: 'CLUSTER_SCALE_IN', adjustment: { number: 0 } };
      expect(await messageFor('scaling', scaling, 400)).to.equal(
        "the 'number' for 'adjustment' must be > 0",
      );
      expect(await messageFor('zone_placement', {}, 400)).to.contain('The server could not comply');
    });

    it('returns 400 for an unknown region', async () => {
      expect(await messageFor('region_placement', { regions: [{ name: 'x' }] }, 400)).to.equal(
        "The specified regions '['x']' could not be found.",
      );
    });
  });

  describe('DELETE /policies/{policy_id}', () => {
    it('returns 409 while the policy is attached to a cluster', async () => {
      const id = await clustering.createCluster(0);
      const policy = await clustering.createPolicy('batch', {});
      await clustering.attachPolicy(id, policy);
      const reply = await clustering.request('DELETE', `/policies/${policy}`).expect(409);
      expect(messageOf(reply)).to.equal(
        `The policy '${policy}' cannot be deleted: still attached to some clusters.`,
      );
      await clustering.runAction(id, { policy_detach: { policy_id: policy } });
      await clustering.request('DELETE', `/policies/${policy}`).expect(204);
      await clustering.request('GET', `/policies/${policy}`).expect(404);
    });
  });

  describe('attachment', () => {
    it('fails for a second policy of a type that allows one only', async () => {
      const id = await clustering.createCluster(0);
      const first = await clustering.createPolicy('batch', {});
      const second = await clustering.createPolicy('batch', {}, 'two');
      await clustering.attachPolicy(id, first);
      const body = { policy_attach: { policy_id: second } };
      const action = await clustering.runAction(id, body, 'FAILED');
      expect(action.status_reason).to.equal(
        'Only one instance of policy type (senlin.policy.batch-1.0) can be attached to a ' +
          `cluster, but another instance (${first}) is found attached to the cluster (${id}) ` +
          'already.',
      );
    });

    it('can be disabled', async () => {
      const id = await clustering.createCluster(0);
      const policy = await clustering.createPolicy('batch', {});
      await clustering.attachPolicy(id, policy);
      await clustering.runAction(id, { policy_update: { policy_id: policy, enabled: false } });
      const path = `/clusters/${id}/policies?enabled=false`;
      const { body } = await clustering.request('GET', path).expect(200);
      expect(body.cluster_policies).to.have.length(1);
    });

    it('fails for a type of profile that the policy does not support', async () => {
      const heat = await clustering.createProfile({
        type: 'os.heat.stack',
        version: '1.0',
        properties: { template: { a: 1 } },
      });
      const id = await clustering.createCluster(1, { profile_id: heat });
      const policy = await clustering.createPolicy('zone_placement', { zones: [{ name: 'az1' }] });
      const body = { policy_attach: { policy_id: policy } };
      const action = await clustering.runAction(id, body, 'FAILED');
      expect(action.status_reason).to.equal(
        'Policy not applicable on profile type: os.heat.stack-1.0',
      );
    });

    it('returns 400 or 404 for a policy that is not attached', async () => {
      const id = await clustering.createCluster(0);
      await clustering.createPolicy('batch', {}, 'two');
      const body = { policy_detach: { policy_id: 'two' } };
      expect(await clustering.rejectedAction(id, body)).to.equal(
        `The policy 'two' is not attached to the specified cluster '${id}'.`,
      );
      const reply = await clustering.request('GET', `/clusters/${id}/policies/two`).expect(404);
      expect(messageOf(reply)).to.equal(
        `The policy 'two' is not found attached to the specified cluster '${id}'.`,
      );
    });
  });
});
