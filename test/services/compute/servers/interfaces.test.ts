// Tests of the order of a server's addresses and interfaces: that of the request, as in Nova's
// cache of network information.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { make } from '../../network/support.ts';
import { ask, config } from '../support.ts';
import { act, admin, madeServer, newest, showServer, type Shown } from './makers.ts';

onEachDatabase('compute: order of interfaces', config, (world) => {
  const as = { token: 'admin:demo' };

  /** Creates a network with a subnet. @returns its id */
  async function makeNetwork(name: string, third: number): Promise<string> {
    const network = await make(world, 'network', { name }, as);
    const cidr = `10.9.${third}.0/24`;
    await make(world, 'subnet', { network_id: network.id, cidr, ip_version: 4 }, as);
    return network.id;
  }

  const makePort = async (network_id: string): Promise<string> =>
    (await make(world, 'port', { network_id }, as)).id;

  const attach = async (id: string, interfaceAttachment: object): Promise<string> => {
    const reply = await ask(world, 'POST', `/servers/${id}/os-interface`, {
      ...admin,
      version: newest,
      body: { interfaceAttachment },
    }).expect(200);
    return reply.body.interfaceAttachment.port_id as string;
  };

  async function portIds(id: string): Promise<string[]> {
    const { body } = await ask(world, 'GET', `/servers/${id}/os-interface`, admin).expect(200);
    return (body as { interfaceAttachments: { port_id: string }[] }).interfaceAttachments.map(
      ({ port_id: port }) => port,
    );
  }

  const networksOf = ({ addresses }: Shown): string[] => Object.keys(addresses as object);

  it('is that of the networks in the request', async () => {
    const ids: Record<string, string> = {};
    for (const [index, name] of ['w', 'x', 'y', 'z'].entries())
      ids[name] = await makeNetwork(name, index);
    const order = ['x', 'z', 'w', 'y'];
    const networks = order.map((name) => ({ uuid: ids[name] }));
    const server = await madeServer(world, { networks });
    expect(networksOf(server)).to.deep.equal(order);
    const { body } = await ask(world, 'GET', `/servers/${server.id}/ips`, admin).expect(200);
    expect(Object.keys(body.addresses)).to.deep.equal(order);
    const { body: list } = await ask(world, 'GET', '/servers/detail', admin).expect(200);
    expect(networksOf(list.servers[0] as Shown)).to.deep.equal(order);
  });

  it('is that of the request for existing and new ports on one network', async () => {
    const network = await makeNetwork('only', 1);
    const [first, second] = [await makePort(network), await makePort(network)];
    const networks = [{ uuid: network }, { port: second }, { uuid: network }, { port: first }];
    const server = await madeServer(world, { networks });
    const ports = await portIds(server.id);
    expect([ports[1], ports[3], ports.length]).to.deep.equal([second, first, 4]);
  });

  it('has what is attached later at the end', async () => {
    const network = await makeNetwork('only', 1);
    const early = await makePort(network);
    const server = await madeServer(world, { networks: [{ uuid: network }, { uuid: network }] });
    const [first, second] = await portIds(server.id);
    const third = await attach(server.id, { net_id: network });
    await attach(server.id, { port_id: early });
    await ask(world, 'DELETE', `/servers/${server.id}/os-interface/${first}`, admin).expect(202);
    expect(await portIds(server.id)).to.deep.equal([second, third, early]);
    await act(world, server.id, { shelve: null });
    await act(world, server.id, { unshelve: null });
    expect(await portIds(server.id)).to.deep.equal([second, third, early]);
    expect((await showServer(world, server.id)).status).to.equal('ACTIVE');
  });
});
