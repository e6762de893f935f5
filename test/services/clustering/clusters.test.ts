// Tests of clusters: their life, their sizes, and what is refused.
import { expect } from 'chai';
import { heatSpec, newest, novaSpec, onClustering, said, typeOf } from './support.ts';

onClustering('clusters', { nova: 2 }, (the, world) => {
  describe('conventions', () => {
    it('shows its version without a token, and negotiates before it authenticates', async () => {
      const root = await world
        .ask('clustering', 'GET', '/clustering/', { token: null })
        .expect(300);
      expect(root.body.versions).to.have.length(1);
      expect(root.body.versions[0]).to.include({
        id: '1.0',
        min_version: '1.0',
        max_version: newest,
      });
      expect(root.body.versions[0].links[0].href).to.match(/\/clustering\/v1$/);
      await world.ask('clustering', 'GET', '/clustering/v1', { token: null }).expect(200);
      await world.ask('clustering', 'GET', '/clustering/v1/', { token: null }).expect(401);
      const reply = await world
        .ask('clustering', 'GET', '/clustering/v1/clusters', { token: null, version: '1.99' })
        .expect(406);
      expect(said(reply)).to.equal(
        "Version '1.99' is not supported by the API. Minimum is '1.0' and maximum is '1.14'.",
      );
      expect(typeOf(reply)).to.equal('InvalidGlobalAPIVersion');
      const bad = await world
        .ask('clustering', 'GET', '/clustering/v1/clusters', { token: null, version: 'x' })
        .expect(400);
      expect(bad.body).to.deep.equal({
        message: "API Version String 'x' is of invalid format. It must be of format 'major.minor'.",
        code: '400 Bad Request',
        title: 'Bad Request',
      });
      await world
        .ask('clustering', 'GET', '/clustering/vx', {
          token: null,
          headers: { accept: 'application/json' },
        })
        .expect(404);
    });

    it('tells its version on success and not on refusals', async () => {
      const good = await the.ask('GET', '/clusters').expect(200);
      expect(good.headers).to.include({
        'openstack-api-version': 'clustering 1.14',
        vary: 'OpenStack-API-Version',
      });
      const old = await world
        .ask('clustering', 'GET', '/clustering/v1/clusters', { token: 'demo:demo' })
        .expect(200);
      expect(old.headers['openstack-api-version']).to.equal('clustering 1.0');
      const refused = await the.ask('GET', '/clusters/x').expect(404);
      expect(refused.headers).to.not.have.property('openstack-api-version');
      expect(refused.body).to.deep.equal({
        code: 404,
        title: 'Not Found',
        explanation: 'The resource could not be found.',
        error: {
          code: 404,
          message: "The cluster 'x' could not be found.",
          type: 'ResourceNotFound',
        },
      });
    });

    it('refuses queries in its own words', async () => {
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
      for (const [query, message] of Object.entries(cases))
        expect(said(await the.ask('GET', `/clusters?${query}`).expect(400)), query).to.equal(
          message,
        );
      expect(said(await the.ask('GET', '/nodes?bogus=1').expect(400))).to.equal(
        'Invalid parameter bogus',
      );
      expect(said(await the.ask('GET', '/clusters?global_project=True').expect(403))).to.equal(
        'You are not authorized to complete this operation.',
      );
    });

    it('finds what is named by id, by name and by the beginning of an id', async () => {
      const id = await the.makeCluster(0);
      for (const name of [id, 'c', id.slice(0, 8)])
        expect((await the.ask('GET', `/clusters/${name}`).expect(200)).body.cluster.id).to.equal(
          id,
        );
      await the.makeCluster(0);
      const reply = await the.ask('GET', '/clusters/c').expect(400);
      expect(said(reply)).to.equal(
        "Multiple results found matching the query criteria 'c'. Please be more specific.",
      );
      await the
        .ask('GET', `/clusters/${id}`, { token: 'other:other', headers: { 'x-roles': 'member' } })
        .expect(404);
    });
  });

  describe('POST /v1/clusters', () => {
    it('answers with what is to be, and fills it with servers of the owner', async () => {
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
      const reply = await the.ask('POST', '/clusters', { body }).expect(202);
      expect(reply.body.cluster).to.include({
        status: 'INIT',
        status_reason: 'Initializing',
        desired_capacity: 2,
        max_size: -1,
        timeout: 3600,
        created_at: null,
      });
      const action = await the.showAction(reply.headers['location']!.split('/actions/')[1]!);
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
      const cluster = await the.showCluster(reply.body.cluster.id as string);
      expect(cluster).to.include({
        status: 'ACTIVE',
        status_reason:
          'CLUSTER_CREATE: number of active nodes is equal or above desired_capacity (2).',
      });
      const members = await the.membersOf(cluster.id);
      expect(members.map(({ index, status }) => [index, status])).to.deep.equal([
        [1, 'ACTIVE'],
        [2, 'ACTIVE'],
      ]);
      const server = (await the.showServer(members[0]!.physical_id!))!;
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

    it('refuses what upstream refuses, in its words', async () => {
      const refused = async (body: unknown): Promise<string> =>
        said(await the.ask('POST', '/clusters', { body }).expect(400));
      const fields = { name: 'c', profile_id: 'p' };
      expect(await refused({})).to.equal("Request body missing 'cluster' key.");
      expect(await refused({ cluster: { name: 'c' } })).to.equal(
        "'profile_id' is a required property",
      );
      expect(await refused({ cluster: { ...fields, boo: 1 } })).to.equal(
        "Additional properties are not allowed ('boo' was unexpected)",
      );
      expect(await refused({ cluster: { ...fields, profile_id: 'x' } })).to.equal(
        "The specified profile 'x' could not be found.",
      );
      expect(await refused({ cluster: { ...fields, min_size: 5, desired_capacity: 2 } })).to.equal(
        'The target capacity (2) is less than the specified min_size (5).',
      );
      expect(await refused({ cluster: { ...fields, min_size: -1 } })).to.equal(
        'The value for the min_size field must be greater than or equal to 0.',
      );
      expect(await refused({ cluster: { ...fields, name: 'a b' } })).to.contain(
        "The value for the 'name' (a b) contains illegal characters.",
      );
      expect(await refused('')).to.contain('The server could not comply with the request');
    });

    it('fails where a server cannot be had, and says why', async () => {
      const huge = await world.ask('compute', 'POST', '/compute/v2.1/flavors', {
        token: 'admin',
        body: { flavor: { name: 'huge', ram: 2 ** 30, vcpus: 1, disk: 1 } },
      });
      expect(huge.status).to.equal(200);
      const big = await the.makeProfile(novaSpec({ flavor: 'huge' }), 'big');
      const id = await the.makeCluster(1, { profile_id: big });
      const cluster = await the.showCluster(id);
      expect(cluster).to.include({
        status: 'WARNING',
        status_reason: 'CLUSTER_CREATE: number of active nodes is below desired_capacity (1).',
      });
      const [node] = await the.membersOf(id);
      expect(node).to.include({ status: 'ERROR', physical_id: null });
      expect(node!.status_reason).to.match(/^Failed in creating server: /);
      expect(await the.servers()).to.have.length(0);
    });
  });

  describe('scaling and resizing', () => {
    it('goes out and in, and refuses to break the limits', async () => {
      const id = await the.makeCluster(1, { min_size: 1, max_size: 5 });
      await the.act(id, { scale_out: { count: '1' } });
      await the.act(id, { scale_out: { count: 2 } });
      expect(await the.showCluster(id)).to.include({ desired_capacity: 4 });
      const more = await the.act(id, { scale_out: { count: 2 } }, 'FAILED');
      expect(more.status_reason).to.equal(
        "The target capacity (6) is greater than the cluster's max_size (5).",
      );
      await the.act(id, { scale_in: { count: 3 } });
      const less = await the.act(id, { scale_in: {} }, 'FAILED');
      expect(less.status_reason).to.equal(
        "The target capacity (0) is less than the cluster's min_size (1).",
      );
      expect((await the.showCluster(id)).nodes).to.have.length(1);
      expect(await the.servers()).to.have.length(1);
      const zero = await the
        .ask('POST', `/clusters/${id}/actions`, { body: { scale_out: { count: 0 } } })
        .expect(400);
      expect(said(zero)).to.equal('Count for scale-out request cannot be 0.');
    });

    it('resizes by number and by percentage, with limits that are kept', async () => {
      const id = await the.makeCluster(5);
      await the.act(id, { resize: { adjustment_type: 'CHANGE_IN_PERCENTAGE', number: -50 } });
      expect(await the.showCluster(id)).to.include({ desired_capacity: 3, status: 'ACTIVE' });
      const action = await the.act(id, {
        resize: {
          adjustment_type: 'EXACT_CAPACITY',
          number: 4,
          min_size: 2,
          max_size: 6,
          min_step: null,
          strict: false,
        },
      });
      expect(action.inputs).to.deep.equal({
        adjustment_type: 'EXACT_CAPACITY',
        number: 4,
        min_size: 2,
        max_size: 6,
        min_step: null,
        strict: false,
      });
      expect(await the.showCluster(id)).to.include({
        desired_capacity: 4,
        min_size: 2,
        max_size: 6,
      });
      const refused = async (resize: object): Promise<string> =>
        said(await the.ask('POST', `/clusters/${id}/actions`, { body: { resize } }).expect(400));
      expect(await refused({})).to.equal('Not enough parameters to do resize action.');
      expect(await refused({ adjustment_type: 'EXACT_CAPACITY' })).to.equal(
        'Missing number value for size adjustment.',
      );
      expect(await refused({ number: 1 })).to.equal(
        'Missing adjustment_type value for size adjustment.',
      );
      expect(await refused({ adjustment_type: 'bogus', number: 1 })).to.equal(
        "Value 'bogus' is not acceptable for field 'adjustment_type'.",
      );
      expect(await refused({ adjustment_type: 'EXACT_CAPACITY', number: 9 })).to.equal(
        "The target capacity (9) is greater than the cluster's max_size (6).",
      );
      expect(await refused({ min_size: 5 })).to.equal(
        'The specified min_size (5) is greater than the current desired_capacity (4) of the ' +
          'cluster.',
      );
      expect(await refused({ max_size: 1 })).to.equal(
        'The specified max_size (1) is less than the current min_size (2) of the cluster.',
      );
    });
  });

  describe('updates', () => {
    it('change the cluster, and give its nodes another profile', async () => {
      const id = await the.makeCluster(2);
      const other = await the.makeProfile(
        novaSpec({ flavor: 'm1.small', name: 'renamed', metadata: { a: 1 } }),
        'q',
      );
      const update = (cluster: object) =>
        the.queued(the.ask('PATCH', `/clusters/${id}`, { body: { cluster } }));
      expect(await update({ name: 'new', timeout: 99, metadata: { k: 'v' } })).to.include({
        status: 'SUCCEEDED',
      });
      expect(await the.showCluster(id)).to.deep.include({
        name: 'new',
        timeout: 99,
        metadata: { k: 'v' },
      });
      const action = await update({ profile_id: other });
      expect(action.status, action.status_reason).to.equal('SUCCEEDED');
      expect(await the.showCluster(id)).to.include({
        profile_id: other,
        profile_name: 'q',
        status: 'ACTIVE',
      });
      const [one] = await the.membersOf(id);
      expect(one).to.include({
        profile_id: other,
        status: 'ACTIVE',
        status_reason: 'Update succeeded',
      });
      expect(await the.showServer(one!.physical_id!)).to.deep.include({
        name: 'renamed',
        status: 'ACTIVE',
      });
      expect(((await the.showServer(one!.physical_id!))!['flavor'] as { id: string }).id).to.equal(
        '2',
      );
      const heat = await the.makeProfile(heatSpec, 'heat');
      const reply = await the
        .ask('PATCH', `/clusters/${id}`, { body: { cluster: { profile_id: heat } } })
        .expect(400);
      expect(said(reply)).to.equal(
        'Cannot update a cluster to a different profile type, operation aborted.',
      );
      expect(
        said(await the.ask('PATCH', `/clusters/${id}`, { body: { cluster: {} } }).expect(400)),
      ).to.equal('No property needs an update.');
    });
  });

  it('leaves events of what was asked, and none of what followed from it', async () => {
    const id = await the.makeCluster(2);
    const { events } = (await the.ask('GET', `/events?cluster_id=${id}&sort=timestamp`).expect(200))
      .body as {
      events: Record<string, string>[];
    };
    expect(events.map(({ action, status }) => `${action} ${status}`).toSorted()).to.deep.equal([
      'CLUSTER_CREATE end',
      'CLUSTER_CREATE start',
    ]);
    expect(events.find(({ status }) => status === 'end')).to.include({
      status_reason: 'Cluster creation succeeded.',
      level: 'INFO',
      oname: 'c',
      otype: 'CLUSTER',
    });
  });

  it('keeps a profile and a policy that are in use', async () => {
    const id = await the.makeCluster(0);
    const policy = await the.makePolicy('batch', {});
    await the.act(id, { policy_attach: { policy_id: policy } });
    const reply = await the.ask('DELETE', `/profiles/${the.profile}`).expect(409);
    expect(said(reply)).to.equal(
      `The profile '${the.profile}' cannot be deleted: still referenced by some clusters ` +
        'and/or nodes.',
    );
    const second = await the.ask('DELETE', `/policies/${policy}`).expect(409);
    expect(said(second)).to.equal(
      `The policy '${policy}' cannot be deleted: still attached to some clusters.`,
    );
    await the.act(id, { policy_detach: { policy_id: policy } });
    await the.ask('DELETE', `/policies/${policy}`).expect(204);
  });
});
