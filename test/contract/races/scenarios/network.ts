// Concurrent writes of Network.
import { mustSucceed, type Scenario } from '../races.ts';

const at = (path: string): string => `/network/v2.0/${path}`;

/** The body that forwards a port of the same number to the port. */
const forwardingTo = (port: string | undefined, number: number, address = '10.7.0.50'): object => ({
  port_forwarding: {
    protocol: 'tcp',
    internal_port_id: port,
    internal_ip_address: address,
    internal_port: number,
    external_port: number,
  },
});

export const networkScenarios: readonly Scenario[] = [
  {
    name: 'a network, its subnets and ports',
    async setup(send, name) {
      const network = await mustSucceed(
        send,
        ['POST', at('networks'), { network: { name: `n-${name}` } }],
        'network.id',
      );
      const pool = { name, prefixes: ['10.20.0.0/16'], default_prefixlen: 24 };
      const subnetpool = await mustSucceed(
        send,
        ['POST', at('subnetpools'), { subnetpool: pool }],
        'subnetpool.id',
      );
      const body = { subnet: { network_id: network, ip_version: 4, cidr: '10.9.0.0/24' } };
      const subnet = await mustSucceed(send, ['POST', at('subnets'), body], 'subnet.id');
      const port = await mustSucceed(
        send,
        ['POST', at('ports'), { port: { network_id: network, name: 'p' } }],
        'port.id',
      );
      const group = await mustSucceed(
        send,
        ['POST', at('security-groups'), { security_group: { name: `g-${name}` } }],
        'security_group.id',
      );
      return { network, subnetpool, subnet, port, group };
    },
    writes: ({ network, subnetpool, subnet, port, group }) => {
      const fixed = { port: { network_id: network, fixed_ips: [{ ip_address: '10.9.0.77' }] } };
      return {
        'create a port': ['POST', at('ports'), { port: { network_id: network, name: 'p' } }],
        'create a port with an address': ['POST', at('ports'), fixed],
        'assign the address to a port': [
          'PUT',
          at(`ports/${port}`),
          { port: { fixed_ips: [{ ip_address: '10.9.0.77' }] } },
        ],
        'rename the port': ['PUT', at(`ports/${port}`), { port: { name: 'renamed' } }],
        'add the port to the group': [
          'PUT',
          at(`ports/${port}`),
          { port: { security_groups: [group] } },
        ],
        'tag the port': ['PUT', at(`ports/${port}/tags/x`)],
        'delete the port': ['DELETE', at(`ports/${port}`)],
        'create a subnet': [
          'POST',
          at('subnets'),
          { subnet: { network_id: network, ip_version: 4, cidr: '10.8.0.0/24' } },
        ],
        'create an overlapping subnet': [
          'POST',
          at('subnets'),
          { subnet: { network_id: network, ip_version: 4, cidr: '10.8.0.0/16' } },
        ],
        'create a subnet from the pool': [
          'POST',
          at('subnets'),
          { subnet: { network_id: network, ip_version: 4, subnetpool_id: subnetpool } },
        ],
        'change the subnet': [
          'PUT',
          at(`subnets/${subnet}`),
          { subnet: { allocation_pools: [{ start: '10.9.0.100', end: '10.9.0.200' }] } },
        ],
        'delete the subnet': ['DELETE', at(`subnets/${subnet}`)],
        'let the subnets join the pool': [
          'PUT',
          at(`subnetpools/${subnetpool}/onboard_network_subnets`),
          { network_id: network },
        ],
        'delete the pool': ['DELETE', at(`subnetpools/${subnetpool}`)],
        'rename the network': ['PUT', at(`networks/${network}`), { network: { name: 'renamed' } }],
        'delete the network': ['DELETE', at(`networks/${network}`)],
        'delete the group': ['DELETE', at(`security-groups/${group}`)],
      };
    },
    reads: ({ network, subnetpool, subnet, port, group }) => [
      at(`networks/${network}`),
      at(`subnets?network_id=${network}`),
      at(`subnets/${subnet}`),
      at(`subnetpools/${subnetpool}`),
      at(`ports?network_id=${network}`),
      at(`ports/${port}`),
      at(`security-groups/${group}`),
    ],
  },
  {
    name: 'a router, its interfaces and floating IPs',
    async setup(send, name) {
      const body = { network: { name: `ext-${name}`, 'router:external': true } };
      const external = await mustSucceed(send, ['POST', at('networks'), body], 'network.id');
      await mustSucceed(send, [
        'POST',
        at('subnets'),
        { subnet: { network_id: external, ip_version: 4, cidr: '172.30.0.0/24' } },
      ]);
      const network = await mustSucceed(
        send,
        ['POST', at('networks'), { network: { name: `int-${name}` } }],
        'network.id',
      );
      const inner = { subnet: { network_id: network, ip_version: 4, cidr: '10.7.0.0/24' } };
      const subnet = await mustSucceed(send, ['POST', at('subnets'), inner], 'subnet.id');
      const gateway = { name: `r-${name}`, external_gateway_info: { network_id: external } };
      const router = await mustSucceed(
        send,
        ['POST', at('routers'), { router: gateway }],
        'router.id',
      );
      const second = { subnet: { network_id: network, ip_version: 4, cidr: '10.6.0.0/24' } };
      const other = await mustSucceed(send, ['POST', at('subnets'), second], 'subnet.id');
      await mustSucceed(send, [
        'PUT',
        at(`routers/${router}/add_router_interface`),
        { subnet_id: subnet },
      ]);
      const port = await mustSucceed(
        send,
        [
          'POST',
          at('ports'),
          { port: { network_id: network, fixed_ips: [{ subnet_id: subnet }] } },
        ],
        'port.id',
      );
      const floatingip = await mustSucceed(
        send,
        ['POST', at('floatingips'), { floatingip: { floating_network_id: external } }],
        'floatingip.id',
      );
      return { external, network, subnet, other, router, port, floatingip };
    },
    writes: ({ external, network, subnet, other, router, port, floatingip }) => ({
      'add an interface': [
        'PUT',
        at(`routers/${router}/add_router_interface`),
        { subnet_id: other },
      ],
      'remove the interface': [
        'PUT',
        at(`routers/${router}/remove_router_interface`),
        { subnet_id: subnet },
      ],
      'clear the gateway': [
        'PUT',
        at(`routers/${router}`),
        { router: { external_gateway_info: null } },
      ],
      'add a route': [
        'PUT',
        at(`routers/${router}/add_extraroutes`),
        { router: { routes: [{ destination: '10.2.0.0/16', nexthop: '10.7.0.8' }] } },
      ],
      'set routes': [
        'PUT',
        at(`routers/${router}`),
        { router: { routes: [{ destination: '10.1.0.0/16', nexthop: '10.7.0.9' }] } },
      ],
      'delete the router': ['DELETE', at(`routers/${router}`)],
      'associate the floating IP': [
        'PUT',
        at(`floatingips/${floatingip}`),
        { floatingip: { port_id: port } },
      ],
      'create another floating IP for the port': [
        'POST',
        at('floatingips'),
        { floatingip: { floating_network_id: external, port_id: port } },
      ],
      'delete the floating IP': ['DELETE', at(`floatingips/${floatingip}`)],
      'delete the port': ['DELETE', at(`ports/${port}`)],
      'move the port': [
        'PUT',
        at(`ports/${port}`),
        { port: { fixed_ips: [{ subnet_id: other }] } },
      ],
      'delete the subnet': ['DELETE', at(`subnets/${other}`)],
      'delete the external network': ['DELETE', at(`networks/${external}`)],
      'make the external network internal': [
        'PUT',
        at(`networks/${external}`),
        { network: { 'router:external': false } },
      ],
      'delete the network': ['DELETE', at(`networks/${network}`)],
    }),
    reads: ({ external, network, router, port, floatingip }) => [
      at(`networks/${external}`),
      at(`networks/${network}`),
      at(`ports?network_id=${network}`),
      at(`ports?network_id=${external}`),
      at(`ports/${port}`),
      at(`routers/${router}`),
      at(`floatingips/${floatingip}`),
      at(`floatingips?floating_network_id=${external}`),
    ],
  },
  {
    name: 'a floating IP and its port forwardings',
    async setup(send, name) {
      const outside = { name: `out-${name}`, 'router:external': true };
      const external = await mustSucceed(
        send,
        ['POST', at('networks'), { network: outside }],
        'network.id',
      );
      const ip_version = 4;
      const outer = { network_id: external, ip_version, cidr: '172.30.0.0/24' };
      await mustSucceed(send, ['POST', at('subnets'), { subnet: outer }]);
      const inside = { network: { name: `in-${name}` } };
      const network = await mustSucceed(send, ['POST', at('networks'), inside], 'network.id');
      const inner = { network_id: network, ip_version, cidr: '10.7.0.0/24' };
      const subnet = await mustSucceed(
        send,
        ['POST', at('subnets'), { subnet: inner }],
        'subnet.id',
      );
      const gateway = { external_gateway_info: { network_id: external } };
      const router = await mustSucceed(
        send,
        ['POST', at('routers'), { router: gateway }],
        'router.id',
      );
      const path = at(`routers/${router}/add_router_interface`);
      await mustSucceed(send, ['PUT', path, { subnet_id: subnet }]);
      const fixed_ips = [{ ip_address: '10.7.0.50' }, { ip_address: '10.7.0.51' }];
      const port = await mustSucceed(
        send,
        ['POST', at('ports'), { port: { network_id: network, fixed_ips } }],
        'port.id',
      );
      const make = { floatingip: { floating_network_id: external } };
      const floatingip = await mustSucceed(
        send,
        ['POST', at('floatingips'), make],
        'floatingip.id',
      );
      const forwarding = await mustSucceed(
        send,
        ['POST', at(`floatingips/${floatingip}/port_forwardings`), forwardingTo(port, 80)],
        'port_forwarding.id',
      );
      return { external, subnet, router, port, floatingip, forwarding };
    },
    writes: ({ external, subnet, router, port, floatingip, forwarding }) => {
      const list = at(`floatingips/${floatingip}/port_forwardings`);
      const one = `${list}/${forwarding}`;
      return {
        'forward another port': ['POST', list, forwardingTo(port, 81)],
        'forward the port to the other address': [
          'POST',
          list,
          forwardingTo(port, 82, '10.7.0.51'),
        ],
        'change the ports': [
          'PUT',
          one,
          { port_forwarding: { internal_port: 81, external_port: 81 } },
        ],
        'delete the forwarding': ['DELETE', one],
        'associate another floating IP with the port': [
          'POST',
          at('floatingips'),
          {
            floatingip: {
              floating_network_id: external,
              port_id: port,
              fixed_ip_address: '10.7.0.50',
            },
          },
        ],
        'associate the floating IP': [
          'PUT',
          at(`floatingips/${floatingip}`),
          { floatingip: { port_id: port, fixed_ip_address: '10.7.0.50' } },
        ],
        'delete the floating IP': ['DELETE', at(`floatingips/${floatingip}`)],
        'remove the address from the port': [
          'PUT',
          at(`ports/${port}`),
          { port: { fixed_ips: [{ ip_address: '10.7.0.51' }] } },
        ],
        'delete the port': ['DELETE', at(`ports/${port}`)],
        'remove the interface': [
          'PUT',
          at(`routers/${router}/remove_router_interface`),
          { subnet_id: subnet },
        ],
        'clear the gateway': [
          'PUT',
          at(`routers/${router}`),
          { router: { external_gateway_info: null } },
        ],
      };
    },
    reads: ({ router, port, floatingip }) => [
      at(`floatingips/${floatingip}/port_forwardings`),
      at(`floatingips/${floatingip}`),
      at(`ports/${port}`),
      at(`routers/${router}`),
    ],
  },
  {
    name: 'a security group and its rules',
    async setup(send, name) {
      const make = (one: string): Promise<string> =>
        mustSucceed(
          send,
          ['POST', at('security-groups'), { security_group: { name: `${one}-${name}` } }],
          'security_group.id',
        );
      const [group, remote] = [await make('g'), await make('r')];
      const body = {
        security_group_rule: {
          security_group_id: group,
          direction: 'ingress',
          protocol: 'tcp',
          port_range_min: 1,
          port_range_max: 2,
        },
      };
      return {
        group,
        remote,
        rule: await mustSucceed(
          send,
          ['POST', at('security-group-rules'), body],
          'security_group_rule.id',
        ),
      };
    },
    writes: ({ group, remote, rule }, name) => {
      const ingress = { security_group_id: group, direction: 'ingress', protocol: 'udp' };
      return {
        'add a rule': ['POST', at('security-group-rules'), { security_group_rule: ingress }],
        'add a rule with the remote group': [
          'POST',
          at('security-group-rules'),
          { security_group_rule: { ...ingress, remote_group_id: remote } },
        ],
        'delete the rule': ['DELETE', at(`security-group-rules/${rule}`)],
        rename: [
          'PUT',
          at(`security-groups/${group}`),
          { security_group: { name: `renamed-${name}` } },
        ],
        delete: ['DELETE', at(`security-groups/${group}`)],
        'delete the remote group': ['DELETE', at(`security-groups/${remote}`)],
        'set quotas': ['PUT', at(`quotas/project-${name}`), { quota: { network: 5 } }],
        'delete quotas': ['DELETE', at(`quotas/project-${name}`)],
      };
    },
    reads: ({ group, remote }, name) => [
      at(`security-groups/${group}`),
      at(`security-groups/${remote}`),
      at(`security-group-rules?security_group_id=${group}`),
      at(`quotas/project-${name}`),
    ],
  },
];
