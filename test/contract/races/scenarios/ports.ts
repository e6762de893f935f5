// Concurrent writes of Network: the bindings and hints of ports, the ports of DHCP agents, and
// addresses.
import { mustSucceed, type Ids, type RequestSpec, type Scenario, type Send } from '../races.ts';

const at = (path: string): string => `/network/v2.0/${path}`;

const networkOf = (send: Send, name: string): Promise<string> =>
  mustSucceed(send, ['POST', at('networks'), { network: { name: `n-${name}` } }], 'network.id');

const createSubnet = (network: string | undefined, cidr: string, fields = {}): RequestSpec => [
  'POST',
  at('subnets'),
  { subnet: { network_id: network, ip_version: 4, cidr, ...fields } },
];

const subnetOf = (send: Send, network: string, cidr: string, fields = {}): Promise<string> =>
  mustSucceed(send, createSubnet(network, cidr, fields), 'subnet.id');

const createPort = (network: string | undefined, fields: object = {}): RequestSpec => [
  'POST',
  at('ports'),
  { port: { network_id: network, name: 'p', ...fields } },
];

const hintsOf = (steering: string): object => ({
  hints: { openvswitch: { other_config: { 'tx-steering': steering } } },
});

const networkReads = ({ network }: Ids): string[] => [
  at(`networks/${network}`),
  at(`subnets?network_id=${network}`),
  at(`ports?network_id=${network}`),
  at(`network-ip-availabilities/${network}`),
];

export const portScenarios: readonly Scenario[] = [
  {
    name: 'the bindings of a port',
    async setup(send, name) {
      const network = await networkOf(send, name);
      const bound = {
        device_id: 'server',
        device_owner: 'compute:nova',
        'binding:host_id': 'h1',
      };
      const port = await mustSucceed(send, createPort(network, bound), 'port.id');
      for (const host of ['h2', 'h3'])
        await mustSucceed(send, ['POST', at(`ports/${port}/bindings`), { binding: { host } }]);
      return { network, port };
    },
    writes: ({ port }) => {
      const bindings = at(`ports/${port}/bindings`);
      return {
        'bind to a fourth host': ['POST', bindings, { binding: { host: 'h4' } }],
        'activate the second': ['PUT', `${bindings}/h2/activate`],
        'activate the third': ['PUT', `${bindings}/h3/activate`],
        'update the second': ['PUT', `${bindings}/h2`, { binding: { vnic_type: 'direct' } }],
        'move the second to a fourth host': ['PUT', `${bindings}/h2`, { binding: { host: 'h4' } }],
        'update the active one': ['PUT', `${bindings}/h1`, { binding: { profile: { a: 'b' } } }],
        'delete the second': ['DELETE', `${bindings}/h2`],
        'delete the active one': ['DELETE', `${bindings}/h1`],
        'bind the port elsewhere': [
          'PUT',
          at(`ports/${port}`),
          { port: { 'binding:host_id': 'h2' } },
        ],
        'take the port from the server': [
          'PUT',
          at(`ports/${port}`),
          { port: { device_id: '', device_owner: '', 'binding:host_id': '' } },
        ],
        'delete the port': ['DELETE', at(`ports/${port}`)],
      };
    },
    reads: ({ port }) => [at(`ports/${port}`), at(`ports/${port}/bindings`)],
  },
  {
    name: 'the hints of a port, and what its uplink propagates',
    async setup(send, name) {
      const network = await networkOf(send, name);
      const empty = await networkOf(send, `empty-${name}`);
      const port = await mustSucceed(send, createPort(network, hintsOf('hash')), 'port.id');
      return { empty, port };
    },
    writes: ({ empty, port }) => {
      const update = (fields: object): RequestSpec => [
        'PUT',
        at(`ports/${port}`),
        { port: fields },
      ];
      return {
        'change the hints': update(hintsOf('thread')),
        'remove the hints': update({ hints: null }),
        'end the propagation': update({ propagate_uplink_status: false }),
        'delete the port': ['DELETE', at(`ports/${port}`)],
        'create a port with hints': createPort(empty, {
          ...hintsOf('thread'),
          propagate_uplink_status: false,
        }),
        'delete the other network': ['DELETE', at(`networks/${empty}`)],
      };
    },
    reads: ({ empty, port }) => [
      at(`ports/${port}`),
      at(`networks/${empty}`),
      at(`ports?network_id=${empty}`),
    ],
  },
  {
    name: 'the port of the DHCP agent of a network',
    async setup(send, name) {
      const network = await networkOf(send, name);
      const subnet = await subnetOf(send, network, '10.9.0.0/24');
      const without = await subnetOf(send, network, '10.8.0.0/24', { enable_dhcp: false });
      const agent = await mustSucceed(
        send,
        ['GET', at('agents?agent_type=DHCP%20agent')],
        'agents.0.id',
      );
      const port = await mustSucceed(
        send,
        ['GET', at(`ports?network_id=${network}&device_owner=network:dhcp`)],
        'ports.0.id',
      );
      return { network, subnet, without, agent, port };
    },
    writes: ({ network, subnet, without, agent, port }) => {
      const dhcp = (id: string | undefined, enable_dhcp: boolean): RequestSpec => [
        'PUT',
        at(`subnets/${id}`),
        { subnet: { enable_dhcp } },
      ];
      return {
        'create a subnet': createSubnet(network, '10.6.0.0/24'),
        'create another subnet': createSubnet(network, '10.7.0.0/24'),
        'create a port': createPort(network, { fixed_ips: [{ subnet_id: subnet }] }),
        'disable DHCP': dhcp(subnet, false),
        'enable DHCP on the other subnet': dhcp(without, true),
        'delete the subnet': ['DELETE', at(`subnets/${subnet}`)],
        'delete the port of the agent': ['DELETE', at(`ports/${port}`)],
        'disable the network': [
          'PUT',
          at(`networks/${network}`),
          { network: { admin_state_up: false } },
        ],
        'remove the network from the agent': [
          'DELETE',
          at(`agents/${agent}/dhcp-networks/${network}`),
        ],
        'add the network to the agent': [
          'POST',
          at(`agents/${agent}/dhcp-networks`),
          { network_id: network },
        ],
        'delete the network': ['DELETE', at(`networks/${network}`)],
      };
    },
    reads: ({ network, agent, port }) => [
      ...networkReads({ network: network! }),
      at(`ports/${port}`),
      at(`networks/${network}/dhcp-agents`),
      at(`agents/${agent}/dhcp-networks`),
    ],
    async cleanUp(send, { network }) {
      const { body } = await send('GET', at(`ports?network_id=${network}`));
      for (const { id } of (body as { ports: { id: string }[] }).ports)
        await send('DELETE', at(`ports/${id}`));
      await send('DELETE', at(`networks/${network}`));
    },
  },
  {
    name: 'the last addresses of a subnet',
    async setup(send, name) {
      const network = await networkOf(send, name);
      const allocation_pools = [{ start: '10.9.0.10', end: '10.9.0.12' }];
      const subnet = await subnetOf(send, network, '10.9.0.0/24', {
        allocation_pools,
        enable_dhcp: false,
      });
      const port = await mustSucceed(send, createPort(network), 'port.id');
      const empty = await mustSucceed(send, createPort(network, { fixed_ips: [] }), 'port.id');
      await mustSucceed(send, createPort(network));
      return { network, subnet, port, empty };
    },
    writes: ({ network, subnet, port, empty }) => ({
      'create a port': createPort(network),
      'create two ports': [
        'POST',
        at('ports'),
        { ports: ['a', 'b'].map((name) => ({ network_id: network, name })) },
      ],
      'create a port with two addresses': createPort(network, {
        fixed_ips: [{ subnet_id: subnet }, { subnet_id: subnet }],
      }),
      'give the port without an address one': [
        'PUT',
        at(`ports/${empty}`),
        { port: { fixed_ips: [{ subnet_id: subnet }] } },
      ],
      'delete a port': ['DELETE', at(`ports/${port}`)],
      'enable DHCP': ['PUT', at(`subnets/${subnet}`), { subnet: { enable_dhcp: true } }],
      'widen the pool': [
        'PUT',
        at(`subnets/${subnet}`),
        { subnet: { allocation_pools: [{ start: '10.9.0.10', end: '10.9.0.13' }] } },
      ],
    }),
    reads: (ids) => [...networkReads(ids), at(`ports/${ids['port']}`)],
  },
];
