// Tests the proxy API for floating IPs and their pools, and the actions that add addresses.
import { expect } from 'chai';
import type supertest from 'supertest';
import { onEachDatabase, type Asked } from '../../../support/cloud.ts';
import { admin, madeServer } from '../servers/makers.ts';
import { ask, config, expectFault, member, reader, someone } from '../support.ts';

interface FloatingIp {
  readonly id: string;
  readonly ip: string;
  readonly [field: string]: unknown;
}

interface Made {
  readonly id: string;
}

const nobody = '6b1e5a43-7a17-4b6f-9d2f-1a2b3c4d5e6f';

onEachDatabase('compute: floating IPs', config, (world) => {
  const list = async (as: Asked = member): Promise<FloatingIp[]> =>
    (
      (await ask(world, 'GET', '/os-floating-ips', as).expect(200)).body as {
        floating_ips: FloatingIp[];
      }
    ).floating_ips;
  const create = (body?: unknown, as: Asked = member): supertest.Test =>
    ask(world, 'POST', '/os-floating-ips', { ...as, ...(body === undefined ? {} : { body }) });
  const made = async (): Promise<FloatingIp> => {
    const reply = await create({ pool: 'public' });
    expect(reply.status, reply.text).to.equal(200);
    return (reply.body as { floating_ip: FloatingIp }).floating_ip;
  };
  const network = async (
    method: string,
    path: string,
    body: unknown,
  ): Promise<Record<string, Made>> => {
    const reply = await world.ask('network', method, `/network/v2.0/${path}`, { ...member, body });
    expect(reply.status, reply.text).to.be.within(200, 201);
    return reply.body as Record<string, Made>;
  };
  const idOf = async (name: string): Promise<string> => {
    const reply = await world.ask('network', 'GET', `/network/v2.0/networks?name=${name}`);
    return (reply.body as { networks: Made[] }).networks[0]!.id;
  };
  const madeNetwork = async (leadsOut = true): Promise<string> => {
    const { network: own } = await network('POST', 'networks', { network: { name: 'own' } });
    const subnet = { network_id: own!.id, ip_version: 4, cidr: '10.9.0.0/24' };
    const { subnet: inside } = await network('POST', 'subnets', { subnet });
    if (!leadsOut) return own!.id;
    const gateway = { external_gateway_info: { network_id: await idOf('public') } };
    const { router } = await network('POST', 'routers', { router: { name: 'r', ...gateway } });
    await network('PUT', `routers/${router!.id}/add_router_interface`, { subnet_id: inside!.id });
    return own!.id;
  };
  const serverOn = async (id: string): Promise<string> =>
    (await madeServer(world, { networks: [{ uuid: id }] }, member)).id;
  const act = (id: string, action: object, as: Asked = member): supertest.Test =>
    ask(world, 'POST', `/servers/${id}/action`, { ...as, body: action });
  const addressesOf = async (id: string): Promise<string[]> => {
    const reply = await ask(world, 'GET', `/servers/${id}/ips`, member);
    return Object.values(
      (reply.body as { addresses: Record<string, { addr: string }[]> }).addresses,
    )
      .flat()
      .map(({ addr }) => addr);
  };

  it('are listed with the pools of external networks', async () => {
    const reply = await ask(world, 'GET', '/os-floating-ip-pools', reader).expect(200);
    expect(reply.body).to.deep.equal({ floating_ip_pools: [{ name: 'public' }] });
  });

  it('are allocated, listed, shown and released', async () => {
    expect(await list()).to.deep.equal([]);
    const taken = await made();
    expect(taken).to.deep.include({ pool: 'public', fixed_ip: null, instance_id: null });
    expect(taken.ip).to.match(/^172\.24\.4\.\d+$/);
    expect(await list()).to.deep.equal([taken]);
    expect(await list(someone('member,reader', 'other', 'other'))).to.deep.equal([]);
    expect((await ask(world, 'GET', `/os-floating-ips/${taken.id}`, member)).body).to.deep.equal({
      floating_ip: taken,
    });
    await ask(world, 'DELETE', `/os-floating-ips/${taken.id}`, member).expect(202);
    const missing = `Floating IP not found for ID ${taken.id}`;
    expectFault(await ask(world, 'GET', `/os-floating-ips/${taken.id}`, member), 404, missing);
    expectFault(await ask(world, 'DELETE', `/os-floating-ips/${taken.id}`, member), 404, missing);
  });

  it('are allocated from the default pool, or by the pool’s id', async () => {
    for (const body of [undefined, {}, { pool: null }, { pool: await idOf('public') }])
      expect((await create(body)).body, JSON.stringify(body)).to.have.nested.property(
        'floating_ip.pool',
        'public',
      );
  });

  it('return 404 for an unknown pool, and 403 beyond the quota and for readers', async () => {
    expectFault(await create({ pool: 'none' }), 404, 'Floating IP pool not found.');
    expectFault(await create({ pool: 'shared' }), 404, 'Floating IP pool not found.');
    expectFault(
      await create({}, reader),
      403,
      "Policy doesn't allow os_compute_api:os-floating-ips:create to be performed.",
    );
    await world
      .ask('network', 'PUT', '/network/v2.0/quotas/demo', { body: { quota: { floatingip: 0 } } })
      .expect(200);
    expectFault(await create({ pool: 'public' }), 403, 'IP allocation over quota in pool public.');
    expectFault(await create(), 403, 'IP allocation over quota.');
  });

  it('return 404 from 2.36 on', async () => {
    for (const path of ['/os-floating-ips', '/os-floating-ip-pools'])
      expectFault(
        await ask(world, 'GET', path, { ...member, version: '2.36' }),
        404,
        'The resource could not be found.',
      );
  });

  it('are associated with servers by actions', async () => {
    const id = await serverOn(await madeNetwork());
    const [fixed] = await addressesOf(id);
    const { ip } = await made();
    await act(id, { addFloatingIp: { address: ip } }, { ...member, version: '2.43' }).expect(202);
    expect(await addressesOf(id)).to.have.members([fixed, ip]);
    expect((await list())[0]).to.deep.include({ ip, fixed_ip: fixed, instance_id: id });
    await act(id, { removeFloatingIp: { address: ip } }).expect(202);
    expect(await addressesOf(id)).to.deep.equal([fixed]);
    await act(id, { addFloatingIp: { address: ip, fixed_address: fixed } }).expect(202);
  });

  it('return errors for invalid associations', async () => {
    const id = await serverOn(await madeNetwork());
    const { ip } = await made();
    const bare = (await madeServer(world, {}, member)).id;
    const lost = (
      await madeServer(world, { networks: [{ uuid: await madeNetwork(false) }] }, member)
    ).id;
    const add = (server: string, fields: object): supertest.Test =>
      act(server, { addFloatingIp: { address: ip, ...fields } });
    expectFault(await add(id, { address: '172.24.4.250' }), 404, 'floating IP not found');
    expectFault(
      await add(id, { address: 'x' }),
      400,
      /^Invalid input for field\/attribute address/,
    );
    expectFault(
      await add(id, { fixed_address: '10.9.0.99' }),
      400,
      'Specified fixed address not assigned to instance',
    );
    expectFault(await add(bare, {}), 400, 'Instance network is not ready yet');
    expectFault(
      await add(lost, {}),
      400,
      new RegExp(`^Unable to associate floating IP ${ip} to fixed IP .* Error: External network`),
    );
    expectFault(await add(nobody, {}), 404, `Instance ${nobody} could not be found.`);
    const unassociated = `Floating IP ${ip} is not associated with instance ${id}.`;
    expectFault(await act(id, { removeFloatingIp: { address: ip } }, admin), 409, unassociated);
    // Upstream checks the rule without a target here, so only administrators pass.
    expectFault(
      await act(id, { removeFloatingIp: { address: ip } }),
      403,
      /os-floating-ips:remove/,
    );
    const absent = await act(id, { removeFloatingIp: { address: '172.24.4.250' } });
    expectFault(absent, 404, 'Floating IP not found for address 172.24.4.250.');
    expectFault(
      await act(id, { addFloatingIp: { address: ip } }, reader),
      403,
      /os-floating-ips:add/,
    );
  });

  it('return 404 for actions from 2.44 on', async () => {
    const { id } = await madeServer(world);
    for (const action of ['addFloatingIp', 'removeFloatingIp', 'addFixedIp', 'removeFixedIp'])
      expectFault(
        await act(id, { [action]: {} }, { ...admin, version: '2.44' }),
        404,
        'The resource could not be found.',
      );
  });

  describe('addFixedIp and removeFixedIp', () => {
    it('add and remove an address', async () => {
      const own = await madeNetwork();
      const id = await serverOn(own);
      const [first] = await addressesOf(id);
      await act(id, { addFixedIp: { networkId: own } }).expect(202);
      const both = await addressesOf(id);
      expect(both).to.have.length(2);
      await act(id, { removeFixedIp: { address: first } }).expect(202);
      expect(await addressesOf(id)).to.deep.equal(both.filter((ip) => ip !== first));
    });

    it('return 202 even without effect', async () => {
      const id = await serverOn(await madeNetwork());
      const before = await addressesOf(id);
      await act(id, { addFixedIp: { networkId: nobody } }).expect(202);
      await act(id, { removeFixedIp: { address: '10.9.0.99' } }).expect(202);
      expect(await addressesOf(id)).to.deep.equal(before);
    });

    it('return 409 for a locked server, and 400 for an invalid body', async () => {
      const { id } = await madeServer(world, {}, member);
      expectFault(await act(id, { addFixedIp: {} }), 400, /'networkId' is a required property/);
      await act(id, { lock: null }, admin).expect(202);
      expectFault(
        await act(id, { addFixedIp: { networkId: nobody } }),
        409,
        `Instance ${id} is locked`,
      );
    });
  });
});
