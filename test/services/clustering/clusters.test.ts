// Tests of clusters: creation, updates, scaling, resizing, and lists.
import { expect } from 'chai';
import { heatSpec, messageOf, novaSpec, onClustering } from './support.ts';

onClustering('clusters', { nova: 2 }, (clustering, world) => {
  describe('GET /clusters', () => {
    it('returns 400 for invalid parameters', async () => {
      const cases: Record<string, string> = {
        'bogus=1': "Invalid parameter 'bogus'",
        'limit=not-int': "The value for limit must be an integer: 'not-int'.",
        'limit=-1': "Value must be >= 0 for field 'limit'.",
        'global_project=not-bool': "Invalid value 'not-bool' specified for 'global_project'",
        'sort=bad-sort': "Unsupported sort key 'bad-sort' for 'sort'.",
        'sort=name:x': "Unsupported sort dir 'x' for 'sort'.",
        'sort=:asc': "Missing sort key for 'sort'.",
        'marker=bad-marker': "The value for marker is not a valid UUID: 'bad-marker'.",
        'status=bad-status': 'Field value bad-status is invalid',
      };
      for (const [query, message] of Object.entries(cases)) {
        const reply = await clustering.request('GET', `/clusters?${query}`).expect(400);
        expect(messageOf(reply), query).to.equal(message);
      }
      const nodes = await clustering.request('GET', '/nodes?bogus=1').expect(400);
      expect(messageOf(nodes)).to.equal('Invalid parameter bogus');
    });

    it('returns 403 for global_project without the role admin', async () => {
      const reply = await clustering.request('GET', '/clusters?global_project=True').expect(403);
      expect(messageOf(reply)).to.equal('You are not authorized to complete this operation.');
    });
  });

  describe('GET /clusters/{cluster_id}', () => {
    it('finds a cluster by id, name or the beginning of the id', async () => {
      const id = await clustering.createCluster(0);
      for (const name of [id, 'c', id.slice(0, 8)]) {
        const { body } = await clustering.request('GET', `/clusters/${name}`).expect(200);
        expect(body.cluster.id).to.equal(id);
      }
    });

    it('returns 400 if several clusters have the name', async () => {
      await clustering.createCluster(0);
      await clustering.createCluster(0);
      const reply = await clustering.request('GET', '/clusters/c').expect(400);
      expect(messageOf(reply)).to.equal(
        "Multiple results found matching the query criteria 'c'. Please be more specific.",
      );
    });

    it('returns 404 for a cluster of another project', async () => {
      const id = await clustering.createCluster(0);
      const other = { token: 'other:other', headers: { 'x-roles': 'member' } };
      await clustering.request('GET', `/clusters/${id}`, other).expect(404);
    });
  });

  describe('POST /clusters', () => {
    it('returns the new cluster, and queues an action that creates its servers', async () => {
      const body = {
        cluster: {
          name: 'c',
          profile_id: 'p',
          desired_capacity: '2',
          min_size: 0,
          max_size: -1,
          timeout: null,
          metadata: {},
        },
      };
      const reply = await clustering.request('POST', '/clusters', { body }).expect(202);
      expect(reply.body.cluster).to.include({
        status: 'INIT',
        status_reason: 'Initializing',
        desired_capacity: 2,
        max_size: -1,
        timeout: 3600,
        created_at: null,
      });
      const action = await clustering.showAction(reply.headers['location']!.split('/actions/')[1]!);
      expect(action).to.include({
        status: 'SUCCEEDED',
        status_reason: 'Action completed successfully.',
        action: 'CLUSTER_CREATE',
        cause: 'RPC Request',
      });
      expect(action).to.deep.include({
        data: {},
        depends_on: [],
        cluster_id: reply.body.cluster.id,
      });
      const cluster = await clustering.showCluster(reply.body.cluster.id as string);
      expect(cluster).to.include({
        status: 'ACTIVE',
        status_reason:
          'CLUSTER_CREATE: number of active nodes is equal or above desired_capacity (2).',
      });
      const members = await clustering.membersOf(cluster.id);
      expect(members.map(({ index, status }) => [index, status])).to.deep.equal([
        [1, 'ACTIVE'],
        [2, 'ACTIVE'],
      ]);
      const server = (await clustering.showServer(members[0]!.physical_id!))!;
      expect(server).to.deep.include({
        name: members[0]!.name,
        user_id: 'demo',
        metadata: {
          cluster_id: cluster.id,
          cluster_node_id: members[0]!.id,
          cluster_node_index: '1',
        },
      });
    });

    it('returns 400 for an invalid body', async () => {
      const rejected = async (body: unknown): Promise<string> =>
        messageOf(await clustering.request('POST', '/clusters', { body }).expect(400));
      const fields = { name: 'c', profile_id: 'p' };
      const withFields = (more: object) => rejected({ cluster: { ...fields, ...more } });
      expect(await rejected({})).to.equal("Request body missing 'cluster' key.");
      expect(await rejected({ cluster: { name: 'c' } })).to.equal(
        "'profile_id' is a required property",
      );
      expect(await withFields({ boo: 1 })).to.equal(
        "Additional properties are not allowed ('boo' was unexpected)",
      );
      expect(await withFields({ profile_id: 'x' })).to.equal(
        "The specified profile 'x' could not be found.",
      );
      expect(await withFields({ min_size: 5, desired_capacity: 2 })).to.equal(
        'The target capacity (2) is less than the specified min_size (5).',
      );
      expect(await withFields({ min_size: -1 })).to.equal(
        'The value for the min_size field must be greater than or equal to 0.',
      );
      expect(await withFields({ name: 'a b' })).to.contain(
        "The value for the 'name' (a b) contains illegal characters.",
      );
      expect(await rejected('')).to.contain('The server could not comply with the request');
    });

    it('leaves nodes in ERROR, with the reason, if Compute cannot create the servers', async () => {
      const huge = await world.ask('compute', 'POST', '/compute/v2.1/flavors', {
        token: 'admin',
        body: { flavor: { name: 'huge', ram: 2 ** 30, vcpus: 1, disk: 1 } },
      });
      expect(huge.status).to.equal(200);
      const profile_id = await clustering.createProfile(novaSpec({ flavor: 'huge' }), 'big');
      const id = await clustering.createCluster(1, { profile_id });
      const cluster = await clustering.showCluster(id);
      expect(cluster).to.include({
        status: 'WARNING',
        status_reason: 'CLUSTER_CREATE: number of active nodes is below desired_capacity (1).',
      });
      const [node] = await clustering.membersOf(id);
      expect(node).to.include({ status: 'ERROR', physical_id: null });
      expect(node!.status_reason).to.match(/^Failed in creating server: /);
      expect(await clustering.serverIds()).to.have.length(0);
    });
  });

  describe('scaling', () => {
    it('creates and deletes servers', async () => {
      const id = await clustering.createCluster(1, { min_size: 1, max_size: 5 });
      await clustering.runAction(id, { scale_out: { count: '1' } });
      await clustering.runAction(id, { scale_out: { count: 2 } });
      expect(await clustering.showCluster(id)).to.include({ desired_capacity: 4 });
      await clustering.runAction(id, { scale_in: { count: 3 } });
      const cluster = await clustering.showCluster(id);
      expect(cluster).to.include({ status: 'ACTIVE', desired_capacity: 1 });
      expect(cluster.nodes).to.have.length(1);
      expect(await clustering.serverIds()).to.have.length(1);
    });

    it('fails at the limits of the cluster', async () => {
      const id = await clustering.createCluster(4, { min_size: 1, max_size: 5 });
      const more = await clustering.runAction(id, { scale_out: { count: 2 } }, 'FAILED');
      expect(more.status_reason).to.equal(
        "The target capacity (6) is greater than the cluster's max_size (5).",
      );
      await clustering.runAction(id, { scale_in: { count: 3 } });
      const less = await clustering.runAction(id, { scale_in: {} }, 'FAILED');
      expect(less.status_reason).to.equal(
        "The target capacity (0) is less than the cluster's min_size (1).",
      );
    });

    it('returns 400 for a count of 0', async () => {
      const id = await clustering.createCluster(0);
      expect(await clustering.rejectedAction(id, { scale_out: { count: 0 } })).to.equal(
        'Count for scale-out request cannot be 0.',
      );
    });
  });

  describe('resizing', () => {
    it('rounds a percentage towards zero', async () => {
      const id = await clustering.createCluster(5);
      await clustering.runAction(id, {
        resize: { adjustment_type: 'CHANGE_IN_PERCENTAGE', number: -50 },
      });
      expect(await clustering.showCluster(id)).to.include({
        desired_capacity: 3,
        status: 'ACTIVE',
      });
    });

    it('sets the capacity and the limits of the cluster', async () => {
      const id = await clustering.createCluster(3);
      const resize = {
        adjustment_type: 'EXACT_CAPACITY',
        number: 4,
        min_size: 2,
        max_size: 6,
        min_step: null,
        strict: false,
      };
      const action = await clustering.runAction(id, { resize });
      expect(action.inputs).to.deep.equal(resize);
      expect(await clustering.showCluster(id)).to.include({
        desired_capacity: 4,
        min_size: 2,
        max_size: 6,
      });
    });

    it('returns 400 for invalid parameters #senlin-15', async () => {
      const id = await clustering.createCluster(4, { min_size: 2, max_size: 6 });
      const rejected = (resize: object) => clustering.rejectedAction(id, { resize });
      expect(await rejected({})).to.equal('Not enough parameters to do resize action.');
      expect(await rejected({ adjustment_type: 'EXACT_CAPACITY' })).to.equal(
        'Missing number value for size adjustment.',
      );
      expect(await rejected({ number: 1 })).to.equal(
        'Missing adjustment_type value for size adjustment.',
      );
      expect(await rejected({ adjustment_type: 'bogus', number: 1 })).to.equal(
        "Value 'bogus' is not acceptable for field 'adjustment_type'.",
      );
      expect(await rejected({ adjustment_type: 'EXACT_CAPACITY', number: 9 })).to.equal(
        "The target capacity (9) is greater than the cluster's max_size (6).",
      );
      expect(await rejected({ min_size: 5 })).to.equal(
        'The specified min_size (5) is greater than the current desired_capacity (4) of the ' +
          'cluster.',
      );
      expect(await rejected({ max_size: 1 })).to.equal(
        'The specified max_size (1) is less than the current min_size (2) of the cluster.',
      );
    });
  });

  describe('PATCH /clusters/{cluster_id}', () => {
    const patch = (id: string, cluster: object) =>
      clustering.request('PATCH', `/clusters/${id}`, { body: { cluster } });

    it('updates the fields of the cluster', async () => {
      const id = await clustering.createCluster(0);
      const fields = { name: 'new', timeout: 99, metadata: { k: 'v' } };
      expect(await clustering.queuedAction(patch(id, fields))).to.include({ status: 'SUCCEEDED' });
      expect(await clustering.showCluster(id)).to.deep.include(fields);
    });

    it('updates all nodes and their servers to a new profile', async () => {
      const id = await clustering.createCluster(2);
      const spec = novaSpec({ flavor: 'm1.small', name: 'renamed', metadata: { a: 1 } });
      const profile_id = await clustering.createProfile(spec, 'q');
      const action = await clustering.queuedAction(patch(id, { profile_id }));
      expect(action.status, action.status_reason).to.equal('SUCCEEDED');
      expect(await clustering.showCluster(id)).to.include({
        profile_id,
        profile_name: 'q',
        status: 'ACTIVE',
      });
      const [node] = await clustering.membersOf(id);
      expect(node).to.include({
        profile_id,
        status: 'ACTIVE',
        status_reason: 'Update succeeded',
      });
      const server = (await clustering.showServer(node!.physical_id!))!;
      expect(server).to.deep.include({ name: 'renamed', status: 'ACTIVE' });
      expect((server['flavor'] as { id: string }).id).to.equal('2');
    });

    it('returns 400 for a profile of another type', async () => {
      const id = await clustering.createCluster(0);
      const profile_id = await clustering.createProfile(heatSpec, 'heat');
      expect(messageOf(await patch(id, { profile_id }).expect(400))).to.equal(
        'Cannot update a cluster to a different profile type, operation aborted.',
      );
    });

    it('returns 400 without a change', async () => {
      const id = await clustering.createCluster(0);
      expect(messageOf(await patch(id, {}).expect(400))).to.equal('No property needs an update.');
    });
  });
});
