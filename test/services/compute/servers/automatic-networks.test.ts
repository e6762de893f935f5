// Servers with `networks: auto`, for which Network creates what the project lacks.
import { seededNetworkId } from '../../../../src/services/network/internal.ts';
import { expect } from 'chai';
import { onEachDatabase, type World } from '../../../support/cloud.ts';
import { make } from '../../network/support.ts';
import { ask, config, expectFault } from '../support.ts';
import { admin, postServer, showServer } from './makers.ts';

onEachDatabase('compute: automatic networks', config, (world) => {
  const boot = (fields: object = {}) =>
    postServer(world, { networks: 'auto', ...fields }, { ...admin, version: '2.37' });
  const makePool = () =>
    make(world, 'subnetpool', {
      name: 'automatic',
      prefixes: ['10.64.0.0/16'],
      is_default: true,
      default_prefixlen: 24,
    });
  /** Networks of the project or shared with it, which a server would use instead. */
  const hideNetworks = async (): Promise<void> => {
    const id = seededNetworkId('RegionOne', 'private');
    await put(world, `networks/${id}`, { network: { admin_state_up: false } });
  };

  it('are created for the first servers, and used by the next ones', async () => {
    await hideNetworks();
    await makePool();
    await boot({ min_count: 3 }).expect(202);
    const { body } = await ask(world, 'GET', '/servers', admin).expect(200);
    const { servers } = body as { servers: { id: string }[] };
    expect(servers.length).to.equal(3);
    const next = await boot().expect(202);
    for (const { id } of [...servers, (next.body as { server: { id: string } }).server]) {
      const { addresses } = await showServer(world, id);
      expect(Object.keys(addresses as object)).to.deep.equal(['auto_allocated_network']);
    }
    const list = await world.ask('network', 'GET', '/network/v2.0/routers', admin);
    const names = (list.body as { routers: { name: string }[] }).routers.map(({ name }) => name);
    expect(names.filter((name) => name === 'auto_allocated_router').length).to.equal(1);
  });

  it('are refused with 400 if no default subnet pool exists', async () => {
    await hideNetworks();
    expectFault(await boot(), 400, /^Unable to automatically allocate a network for project demo/);
    const list = await world.ask('network', 'GET', '/network/v2.0/networks?project_id=demo', admin);
    expect((list.body as { networks: object[] }).networks).to.deep.equal([]);
  });
});

const put = (world: World, path: string, body: object) =>
  world.ask('network', 'PUT', `/network/v2.0/${path}`, { ...admin, body }).expect(200);
