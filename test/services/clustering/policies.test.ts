// Tests of the other policies, alone and all together on one cluster.
import { expect } from 'chai';
import { someone } from '../../support/people.ts';
import { novaSpec, onClustering, said, typeOf } from './support.ts';

onClustering('policies', { az1: 2, az2: 2, az3: 2 }, (the, world) => {
  const create = (type: string, properties: object, version = '1.0') =>
    the.ask('POST', '/policies', {
      body: { policy: { name: 'x', spec: { type: `senlin.policy.${type}`, version, properties } } },
    });

  describe('specs', () => {
    it('are refused in the words and with the status of upstream', async () => {
      const bogus = await create('scaling', { bogus: 1, event: 'CLUSTER_SCALE_IN' }).expect(500);
      expect([said(bogus), typeOf(bogus)]).to.deep.equal([
        "Unrecognizable spec item 'bogus'",
        'ESchema',
      ]);
      expect(said(await create('bogus', {}).expect(404))).to.equal(
        "The policy_type 'senlin.policy.bogus-1.0' could not be found.",
      );
      expect(
        said(
          await create('scaling', { event: 'CLUSTER_SCALE_IN', adjustment: { number: 0 } }).expect(
            400,
          ),
        ),
      ).to.equal("the 'number' for 'adjustment' must be > 0");
      expect(
        said(await create('zone_placement', { zones: [{ name: 'az1', weight: 'x' }] }).expect(500)),
      ).to.equal("The value 'x' is not a valid Integer");
      expect(said(await create('zone_placement', { zones: 'abc' }).expect(500))).to.equal(
        "'a' is not a Map",
      );
      expect(said(await create('zone_placement', {}).expect(400))).to.contain(
        'The server could not comply',
      );
      expect(
        said(await create('region_placement', { regions: [{ name: 'x' }] }).expect(400)),
      ).to.equal("The specified regions '['x']' could not be found.");
    });

    it('are shown as schemas, with what supports them from 1.5 on', async () => {
      const { policy_type: shown } = (
        await the.ask('GET', '/policy-types/senlin.policy.zone_placement-1.0').expect(200)
      ).body as { policy_type: { schema: { zones: object } } };
      expect(shown.schema.zones).to.deep.equal({
        type: 'List',
        description: 'List of availability zones to choose from.',
        required: false,
        updatable: false,
        schema: {
          '*': {
            type: 'Map',
            description: 'An availability zone as candidate.',
            required: false,
            updatable: false,
            schema: {
              name: {
                type: 'String',
                description: 'Name of an availability zone.',
                required: false,
                updatable: false,
              },
              weight: {
                type: 'Integer',
                description: 'Weight of the availability zone (default is 100).',
                default: 100,
                required: false,
                updatable: false,
              },
            },
          },
        },
      });
      const old = (await the.ask('GET', '/policy-types', { version: '1.4' }).expect(200)).body
        .policy_types as {
        name: string;
      }[];
      expect(old).to.have.length(14);
      expect(old[0]).to.deep.equal({ name: 'senlin.policy.affinity-1.0' });
    });
  });

  it('scaling: counts, limits, and a cooldown that refuses', async () => {
    const id = await the.makeCluster(2, { max_size: 6 });
    const adjustment = { type: 'CHANGE_IN_PERCENTAGE', number: 50, min_step: 2, cooldown: 60 };
    const policy = await the.makePolicy('scaling', { event: 'CLUSTER_SCALE_OUT', adjustment });
    await the.attach(id, policy);
    const action = await the.act(id, { scale_out: {} });
    expect(action.data).to.deep.include({ status: 'OK', reason: 'Scaling request validated.' });
    expect(action.data.creation!.count).to.equal(2);
    const soon = await the
      .ask('POST', `/clusters/${id}/actions`, { body: { scale_out: {} } })
      .expect(409);
    expect(typeOf(soon)).to.equal('ActionCooldown');
    expect(said(soon)).to.equal(
      `The CLUSTER_SCALE_OUT action for cluster ${id} cannot be processed due to Policy ` +
        `${policy} cooldown still in progress`,
    );
    await world.setTime('2026-11-20T12:02:00Z');
    const more = await the.act(id, { scale_out: { count: 9 } }, 'FAILED');
    expect(more.status_reason).to.equal(
      "Policy check failure: Failed policy 'policy': The target capacity (13) is greater than " +
        "the cluster's max_size (6).",
    );
  });

  it('deletion: the youngest go first, a grace passes, and the size may stay', async () => {
    const id = await the.makeCluster(1);
    await world.setTime('2026-11-20T12:01:00Z');
    await the.act(id, { scale_out: { count: 1 } });
    const [old, young] = await the.membersOf(id);
    const properties = {
      criteria: 'YOUNGEST_FIRST',
      grace_period: 30,
      reduce_desired_capacity: false,
    };
    await the.attach(id, await the.makePolicy('deletion', properties));
    const action = await the.begin(id, { scale_in: {} });
    expect(action).to.include({ status: 'RUNNING' });
    expect(action.data.deletion!.candidates).to.deep.equal([young!.id]);
    expect(await the.showCluster(id)).to.include({ status: 'RESIZING' });
    await world.setTime('2026-11-20T12:01:31Z');
    expect(await the.showAction(action.id)).to.include({ status: 'SUCCEEDED' });
    expect((await the.showCluster(id)).nodes).to.deep.equal([old!.id]);
    expect(await the.showCluster(id)).to.include({ desired_capacity: 2, status: 'WARNING' });
  });

  it('deletion with a lifecycle hook: nodes wait until they are told, or until the time is over', async () => {
    const id = await the.makeCluster(2);
    const hooks = { type: 'zaqar', timeout: 300, params: { queue: 'q' } };
    await the.attach(id, await the.makePolicy('deletion', { hooks }, 'hook', '1.1'));
    const action = await the.begin(id, { scale_in: {} });
    expect(action).to.include({ status: 'WAITING' });
    const [token] = action.depends_on;
    expect(await the.showAction(token!)).to.include({
      status: 'WAITING_LIFECYCLE_COMPLETION',
      cause: 'Derived Action with Lifecycle Hook',
    });
    const body = { complete_lifecycle: { lifecycle_action_token: token } };
    const stranger = someone('member,reader', 'stranger', 'elsewhere');
    await the.ask('POST', `/clusters/${id}/actions`, { body, ...stranger }).expect(404);
    expect(
      (await the.ask('POST', `/clusters/${id}/actions`, { body }).expect(202)).body,
    ).to.deep.equal({ action: token });
    expect(await the.showAction(action.id)).to.include({ status: 'SUCCEEDED' });
    expect((await the.showCluster(id)).nodes).to.have.length(1);
    const second = await the.begin(id, { scale_in: {} });
    await world.setTime('2026-11-20T12:05:01Z');
    expect(await the.showAction(second.id)).to.include({ status: 'SUCCEEDED' });
  });

  it('batch: a few nodes at a time, with a pause', async () => {
    const id = await the.makeCluster(3);
    const other = await the.makeProfile(
      {
        type: 'os.nova.server',
        version: '1.0',
        properties: { flavor: '1', image: 'cirros', name: 'renamed' },
      },
      'q',
    );
    await the.attach(
      id,
      await the.makePolicy('batch', { min_in_service: 1, max_batch_size: 2, pause_time: 10 }),
    );
    const action = await the.queued(
      the.ask('PATCH', `/clusters/${id}`, { body: { cluster: { profile_id: other } } }),
    );
    expect(
      (action.data['update'] as { plan: string[][] }).plan.map(({ length }) => length),
    ).to.deep.equal([2, 1]);
    expect((await the.membersOf(id)).map(({ profile_id: of }) => of === other)).to.deep.equal([
      true,
      true,
      false,
    ]);
    await world.setTime('2026-11-20T12:00:11Z');
    expect(await the.showAction(action.id)).to.include({ status: 'SUCCEEDED' });
    expect((await the.membersOf(id)).every(({ profile_id: of }) => of === other)).to.equal(true);
  });

  it('affinity: a server group comes and goes with the policy, and new servers are in it', async () => {
    const id = await the.makeCluster(0);
    const policy = await the.makePolicy('affinity', { servergroup: { policies: 'anti-affinity' } });
    await the.attach(id, policy);
    const [binding] = (await the.ask('GET', `/clusters/${id}/policies`).expect(200)).body
      .cluster_policies as {
      data: { AffinityPolicy: { data: { servergroup_id: string } } };
      priority: number;
    }[];
    expect(binding!.priority).to.equal(300);
    const group = binding!.data.AffinityPolicy.data.servergroup_id;
    const action = await the.act(id, { scale_out: { count: 2 } });
    expect(action.data['placement']).to.deep.equal({
      count: 2,
      placements: [{ servergroup: group }, { servergroup: group }],
    });
    const groups = async (): Promise<{ members: string[] }[]> =>
      (await the.compute('GET', '/os-server-groups')).body.server_groups as {
        members: string[];
      }[];
    const servers = (await the.membersOf(id)).map(({ physical_id: server }) => server);
    expect((await groups())[0]!.members).to.have.members(servers);
    await the.act(id, { policy_detach: { policy_id: policy } });
    expect(await groups()).to.deep.equal([]);
  });

  it('of one type are attached once, and twice where the type allows it', async () => {
    const id = await the.makeCluster(0);
    const [one, two] = [
      await the.makePolicy('batch', {}),
      await the.makePolicy('batch', {}, 'two'),
    ];
    await the.attach(id, one);
    const second = await the.act(id, { policy_attach: { policy_id: two } }, 'FAILED');
    expect(second.status_reason).to.equal(
      'Only one instance of policy type (senlin.policy.batch-1.0) can be attached to a ' +
        `cluster, but another instance (${one}) is found attached to the cluster (${id}) ` +
        'already.',
    );
    await the.act(id, { policy_update: { policy_id: one, enabled: false } });
    expect(
      (await the.ask('GET', `/clusters/${id}/policies?enabled=false`).expect(200)).body
        .cluster_policies,
    ).to.have.length(1);
    const reply = await the
      .ask('POST', `/clusters/${id}/actions`, { body: { policy_detach: { policy_id: 'two' } } })
      .expect(400);
    expect(said(reply)).to.equal(
      `The policy 'two' is not attached to the specified cluster '${id}'.`,
    );
    expect(said(await the.ask('GET', `/clusters/${id}/policies/two`).expect(404))).to.equal(
      `The policy 'two' is not found attached to the specified cluster '${id}'.`,
    );
  });

  it(
    'loadbalance: nodes are in the pool from their creation to their deletion, and out of it ' +
      'when it is detached',
    async () => {
      const id = await the.makeCluster(1);
      const properties = {
        pool: { subnet: 'private-subnet' },
        vip: { subnet: 'private-subnet' },
        health_monitor: { type: 'HTTP' },
      };
      const policy = await the.makePolicy('loadbalance', properties, 'lb', '1.1');
      await the.attach(id, policy);
      const { cluster_policy: binding } = (
        await the.ask('GET', `/clusters/${id}/policies/${policy}`)
      ).body as {
        cluster_policy: { data: { LoadBalancingPolicy: { version: string; data: object } } };
      };
      expect(binding.data.LoadBalancingPolicy.version).to.equal('1.3');
      expect(binding.data.LoadBalancingPolicy.data).to.include.keys(
        'loadbalancer',
        'listener',
        'pool',
        'healthmonitor',
      );
      const shown = (await the.showCluster(id)) as unknown as {
        data: { loadbalancers: Record<string, { vip_address: string }> };
      };
      expect(shown.data.loadbalancers[policy]!.vip_address).to.match(/^10\.0\.[0-3]\./);
      const members = async (): Promise<number> =>
        (await the.membersOf(id)).filter(({ data }) => 'lb_member' in data).length;
      expect(await members()).to.equal(1);
      await the.act(id, { scale_out: { count: 2 } });
      expect(await members()).to.equal(3);
      const orphan = await the.queued(
        the.ask('POST', '/nodes', { body: { node: { name: 'n', profile_id: the.profile } } }),
      );
      await the.act(id, { add_nodes: { nodes: [orphan['target']] } });
      expect(await members()).to.equal(4);
      await the.act(id, { del_nodes: { nodes: [orphan['target']] } });
      expect((await the.showNode(orphan['target'] as string)).data).to.not.have.property(
        'lb_member',
      );
      const [first] = await the.membersOf(id);
      await the.act(id, { replace_nodes: { nodes: { [first!.id]: orphan['target'] } } });
      expect((await the.showNode(first!.id)).data).to.not.have.property('lb_member');
      expect(await members()).to.equal(3);
      const shrunk = await the.act(id, { scale_in: { count: 1 } });
      expect(shrunk.data.deletion!.candidates).to.have.length(1);
      expect(await members()).to.equal(2);
      await the.act(id, { policy_detach: { policy_id: policy } });
      expect(await members()).to.equal(0);
      expect((await the.showCluster(id))['data']).to.deep.equal({});
    },
  );

  it(
    'all of them decide in the order of their priorities, through growth, failure and ' +
      'shrinkage',
    async () => {
      const id = await the.makeCluster(0, { max_size: 8 });
      const zones = [{ name: 'az1' }, { name: 'az2' }, { name: 'az3' }];
      const kinds: readonly (readonly [string, object, string?])[] = [
        ['scaling', { event: 'CLUSTER_SCALE_OUT', adjustment: { number: 6 } }],
        ['scaling', { event: 'CLUSTER_SCALE_IN', adjustment: { number: 3 } }],
        ['region_placement', { regions: [{ name: 'RegionOne' }] }],
        ['zone_placement', { zones }],
        ['affinity', { servergroup: { policies: 'soft-anti-affinity' } }],
        ['deletion', { criteria: 'OLDEST_FIRST' }, '1.1'],
        ['batch', { max_batch_size: 2, pause_time: 0 }],
        [
          'health',
          {
            detection: { detection_modes: [{ type: 'NODE_STATUS_POLLING' }] },
            recovery: { actions: [{ name: 'RECREATE' }] },
          },
          '1.2',
        ],
        [
          'loadbalance',
          { pool: { subnet: 'private-subnet' }, vip: { subnet: 'private-subnet' } },
          '1.3',
        ],
      ];
      for (const [at, [type, properties, version]] of kinds.entries())
        await the.attach(id, await the.makePolicy(type, properties, `p${at}`, version));

      const grown = await the.act(id, { scale_out: {} });
      expect(grown.data.creation).to.deep.include({
        count: 6,
        zones: { az1: 2, az2: 2, az3: 2 },
        regions: { RegionOne: 6 },
      });
      expect((grown.data['placement'] as { count: number }).count).to.equal(6);
      expect(await the.zonesOf(id)).to.deep.equal({ az1: 2, az2: 2, az3: 2 });
      const [first] = await the.membersOf(id);
      expect(first!.data.placement).to.include.keys('servergroup', 'zone', 'region_name');
      expect(grown.data.creation!.nodes).to.have.length(6);
      const inPool = async (): Promise<string[]> =>
        (await the.membersOf(id)).flatMap(({ data }) =>
          'lb_member' in data ? [String(data.lb_member)] : [],
        );
      const pool = await inPool();
      expect(new Set(pool).size).to.equal(6);

      await the.compute('DELETE', `/servers/${first!.physical_id}`).expect(204);
      await world.setTime('2026-11-20T12:10:00Z');
      expect(await the.showNode(first!.id)).to.include({
        status: 'ACTIVE',
        status_reason: 'Recovery succeeded',
      });
      expect(await the.zonesOf(id)).to.deep.equal({ az1: 2, az2: 2, az3: 2 });

      const shrunk = await the.act(id, { scale_in: {} });
      expect(shrunk.data.deletion).to.deep.include({
        count: 3,
        zones: { az1: 1, az2: 1, az3: 1 },
        regions: { RegionOne: 3 },
      });
      expect(shrunk.data.deletion!.candidates).to.have.length(3);
      expect(shrunk.data['reason']).to.equal('Candidates generated');
      expect(pool).to.include.members(await inPool());
      expect(await inPool()).to.have.length(3);

      const resized = await the.act(id, {
        resize: { adjustment_type: 'CHANGE_IN_CAPACITY', number: 3 },
      });
      expect(resized.data).to.deep.include({
        health: { recover_action: [{ name: 'RECREATE', params: null }], fencing: null },
      });
      expect(resized.data.creation).to.deep.include({
        count: 3,
        zones: { az1: 1, az2: 1, az3: 1 },
      });
      expect(await inPool()).to.have.length(6);
      const spec = await the.makeProfile(novaSpec({ name: 'renamed' }), 'other');
      const changed = await the.queued(
        the.ask('PATCH', `/clusters/${id}`, { body: { cluster: { profile_id: spec } } }),
      );
      expect(
        (changed.data['update'] as { plan: string[][] }).plan.map((batch) => batch.length),
      ).to.deep.equal([2, 2, 2]);
      await the.act(id, { resize: { adjustment_type: 'CHANGE_IN_CAPACITY', number: -3 } });
      expect(await the.zonesOf(id)).to.deep.equal({ az1: 1, az2: 1, az3: 1 });
      expect(await the.zonesOf(id)).to.deep.equal({ az1: 1, az2: 1, az3: 1 });
      expect(await the.showCluster(id)).to.include({ status: 'ACTIVE', desired_capacity: 3 });
      expect((await the.queued(the.ask('DELETE', `/clusters/${id}`))).status).to.equal('SUCCEEDED');
    },
  );
});
