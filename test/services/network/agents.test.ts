// Agents: their hosts, and the networks and routers that they host.
import { expect } from 'chai';
import { networkHostAgents } from '../../../migrations/region/network-host-agents.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, make, makeNetwork, member, errorOf, type Resource } from './support.ts';

onEachDatabase('network: agents', { auth: 'noauth2' }, (world) => {
  const list = async (query = '', as = {}): Promise<Resource[]> =>
    (await ask(world, 'GET', `/agents${query}`, undefined, as).expect(200)).body.agents;
  const agent = async (type: string): Promise<string> =>
    (await list(`?agent_type=${encodeURIComponent(type)}`))[0]!.id;
  const idsOf = (agents: Resource[]): string[] => agents.map(({ id }) => id);

  describe('GET /v2.0/agents', () => {
    it('lists the agents of the network node, filtered by binary and alive', async () => {
      expect((await list()).map((one) => [one['agent_type'], one['host']])).to.deep.equal(
        ['DHCP agent', 'L3 agent', 'Open vSwitch agent'].map((type) => [type, 'cumulet']),
      );
      const [one] = await list('?binary=neutron-dhcp-agent&alive=true');
      expect(one).to.include({
        topic: 'dhcp_agent',
        admin_state_up: true,
        heartbeat_timestamp: '2026-11-20 12:00:00',
      });
    });

    it('hides agents from callers who are not administrators', async () => {
      const [one] = await list();
      expect(await list('', member)).to.deep.equal([]);
      expect(errorOf(await ask(world, 'GET', `/agents/${one!.id}`, undefined, member))).to.contain(
        '404',
      );
    });

    it('returns 400 for an unknown filter', async () => {
      expect(errorOf(await ask(world, 'GET', '/agents?colour=red'))).to.contain(
        'is invalid attribute for filtering',
      );
    });
  });

  describe('GET and PUT /v2.0/agents/{id}', () => {
    it('returns 404 for an unknown agent', async () => {
      expect(errorOf(await ask(world, 'GET', '/agents/x'))).to.equal(
        '404 AgentNotFound: Agent x could not be found.',
      );
    });

    it('returns 400 for a read-only attribute', async () => {
      const id = await agent('DHCP agent');
      expect(
        errorOf(await ask(world, 'PUT', `/agents/${id}`, { agent: { host: 'x' } })),
      ).to.contain('Cannot update read-only');
    });
  });

  describe('DELETE /v2.0/agents/{id}', () => {
    it('deletes an agent, so that nothing hosts its routers', async () => {
      const id = await agent('L3 agent');
      const router = await make(world, 'router', {}, member);
      await ask(world, 'DELETE', `/agents/${id}`).expect(204);
      expect(errorOf(await ask(world, 'GET', `/agents/${id}`))).to.contain('404 AgentNotFound');
      expect(
        (await ask(world, 'GET', `/routers/${router.id}/l3-agents`).expect(200)).body.agents,
      ).to.deep.equal([]);
    });

    it('returns 404 for an unknown agent, and to callers without permission to list agents', async () => {
      expect(errorOf(await ask(world, 'DELETE', '/agents/x'))).to.equal(
        '404 AgentNotFound: Agent x could not be found.',
      );
      const path = `/agents/${await agent('L3 agent')}`;
      expect(errorOf(await ask(world, 'DELETE', path, undefined, member))).to.equal(
        '404 HTTPNotFound: The resource could not be found.',
      );
      expect(errorOf(await ask(world, 'DELETE', path, {}))).to.equal(
        '400 HTTPBadRequest: Request body is not supported in DELETE.',
      );
    });
  });

  describe('/v2.0/agents/{id}/dhcp-networks', () => {
    it('adds a network to a DHCP agent, which is removed again or deleted with the network', async () => {
      const id = await agent('DHCP agent');
      const { network } = await makeNetwork(world, '10.1.0.0/24', member);
      const hosting = async (): Promise<string[]> =>
        idsOf(
          (await ask(world, 'GET', `/networks/${network.id}/dhcp-agents`).expect(200)).body.agents,
        );
      const hosted = async (): Promise<string[]> =>
        idsOf((await ask(world, 'GET', `/agents/${id}/dhcp-networks`).expect(200)).body.networks);
      expect(await hosting()).to.deep.equal([id]);
      expect(await hosted()).to.include(network.id);
      const add = (agentId = id) =>
        ask(world, 'POST', `/agents/${agentId}/dhcp-networks`, { network_id: network.id });
      expect(errorOf(await add())).to.contain('409 NetworkHostedByDHCPAgent');
      expect(errorOf(await add(await agent('L3 agent')))).to.contain('404 InvalidDHCPAgent');
      const path = `/agents/${id}/dhcp-networks/${network.id}`;
      await ask(world, 'DELETE', path, undefined, member).expect(403);
      await ask(world, 'DELETE', path).expect(204);
      expect(errorOf(await ask(world, 'DELETE', path))).to.contain(
        '409 NetworkNotHostedByDhcpAgent',
      );
      expect(await hosting()).to.deep.equal([]);
      await add().expect(201);
      await ask(world, 'DELETE', `/networks/${network.id}`, undefined, member).expect(204);
      expect(await hosted()).to.not.include(network.id);
    });

    it('schedules nothing on a disabled agent, and returns 409 when a network is added', async () => {
      const id = await agent('DHCP agent');
      const body = { agent: { admin_state_up: false, description: 'away' } };
      expect((await ask(world, 'PUT', `/agents/${id}`, body).expect(200)).body.agent).to.include(
        body.agent,
      );
      const { network } = await makeNetwork(world, '10.1.0.0/24');
      expect(
        (await ask(world, 'GET', `/networks/${network.id}/dhcp-agents`)).body.agents,
      ).to.deep.equal([]);
      expect(
        errorOf(
          await ask(world, 'POST', `/agents/${id}/dhcp-networks`, { network_id: network.id }),
        ),
      ).to.contain('has been disabled');
    });
  });

  describe('/v2.0/agents/{id}/l3-routers', () => {
    it('adds a router to an L3 agent and removes it', async () => {
      const id = await agent('L3 agent');
      const router = await make(world, 'router', {}, member);
      const hosting = async (): Promise<string[]> =>
        idsOf((await ask(world, 'GET', `/routers/${router.id}/l3-agents`).expect(200)).body.agents);
      expect(await hosting()).to.deep.equal([id]);
      expect(
        idsOf((await ask(world, 'GET', `/agents/${id}/l3-routers`).expect(200)).body.routers),
      ).to.include(router.id);
      await ask(world, 'DELETE', `/agents/${id}/l3-routers/${router.id}`).expect(204);
      expect(await hosting()).to.deep.equal([]);
      await ask(world, 'POST', `/agents/${id}/l3-routers`, { router_id: router.id }).expect(201);
      expect(await hosting()).to.deep.equal([id]);
    });
  });

  describe('agents of Compute hosts', () => {
    const hosts = async (): Promise<unknown[]> =>
      (await list('?agent_type=Open%20vSwitch%20agent')).map((one) => [
        one['host'],
        one['started_at'],
      ]);
    const control = (method: string, path: string, body?: unknown) =>
      world.ask('emulator', method, `/_emulator${path}`, body === undefined ? {} : { body });
    const addHost = (name: string) => control('POST', '/hosts', { name }).expect(201);
    const reset = (service: string) => control('POST', '/reset', { service }).expect(204);
    const noon = '2026-11-20 12:00:00';

    it('starts an agent with each new host, and removes it with the host', async () => {
      await world.setTime('2026-11-21T08:00:00Z');
      await addHost('rack-1');
      expect((await hosts()).slice(1)).to.deep.equal([['rack-1', '2026-11-21 08:00:00']]);
      await control('DELETE', '/hosts/rack-1').expect(204);
      expect((await hosts()).slice(1)).to.deep.equal([]);
    });

    it(
      'restores the agents of hosts after a reset of Network, and removes them on a reset of ' +
        'Compute',
      async () => {
        await addHost('rack-1');
        const id = (await list('?host=rack-1'))[0]!.id;
        await reset('network');
        expect(await hosts()).to.deep.equal([
          ['cumulet', noon],
          ['rack-1', noon],
        ]);
        expect((await list('?host=rack-1'))[0]!.id).to.equal(id);
        await reset('compute');
        expect(await hosts()).to.deep.equal([['cumulet', noon]]);
      },
    );

    it('creates agents for the hosts of an older database, and keeps changes by operators', async () => {
      await world.setTime('2026-11-21T08:00:00Z');
      await addHost('rack-1');
      const before = await list();
      const { db } = world.cloud.firstRegion.database;
      await db.schema.dropTable('network_agents');
      await db.schema.createTable('network_agents', (table) => {
        table.string('id', 36).primary();
        table.integer('admin_state_up').notNullable();
        table.string('description', 255);
      });
      const { id } = before.find((one) => one['host'] === 'rack-1')!;
      await db('network_agents').insert({ id, admin_state_up: 0, description: 'away' });
      await networkHostAgents.up(db);
      const changes = { admin_state_up: false, description: 'away' };
      expect(await list()).to.deep.equal(
        before.map((one) => (one.id === id ? { ...one, ...changes } : one)),
      );
    });
  });
});
