// Concurrent writes to the resources of agents, and to the ports of servers that request them.
import { cirrosId } from '../../../../src/services/image/index.ts';
import { mustSucceed, type RequestSpec, type Scenario, type Send } from '../races.ts';

const at = (path: string): string => `/network/v2.0/${path}`;
const servers = '/compute/v2.1/servers';
const settings = '/_emulator/network/settings';

const bandwidthOf = (host: string, egress: number): object => ({
  resource_provider_bandwidths: { [host]: { 'br-ex': { egress } } },
});

async function addHost(send: Send, name: string): Promise<void> {
  const host = { name, vcpus: 8, memory_mb: 8192, disk_gb: 100 };
  await mustSucceed(send, ['POST', '/_emulator/hosts', host]);
}

/** Creates a policy that guarantees outgoing bandwidth. @returns its id and that of its rule */
async function makePolicy(send: Send, name: string, min_kbps: number): Promise<[string, string]> {
  const policy = await mustSucceed(
    send,
    ['POST', at('qos/policies'), { policy: { name } }],
    'policy.id',
  );
  const rule = await mustSucceed(
    send,
    [
      'POST',
      at(`qos/policies/${policy}/minimum_bandwidth_rules`),
      { minimum_bandwidth_rule: { min_kbps } },
    ],
    'minimum_bandwidth_rule.id',
  );
  return [policy, rule];
}

export const portResourceScenarios: readonly Scenario[] = [
  {
    name: 'the resources of an agent',
    async setup(send, name) {
      await addHost(send, `old-${name}`);
      await mustSucceed(send, ['PUT', settings, bandwidthOf(`old-${name}`, 10)]);
      return {};
    },
    writes: (_ids, name) => ({
      'add a host': [
        'POST',
        '/_emulator/hosts',
        { name: `host-${name}`, vcpus: 8, memory_mb: 8192, disk_gb: 100 },
      ],
      'delete the host': ['DELETE', `/_emulator/hosts/old-${name}`],
      'report the bandwidth of the new host': ['PUT', settings, bandwidthOf(`host-${name}`, 20)],
      'report more of the host': ['PUT', settings, bandwidthOf(`old-${name}`, 30)],
      'report packets': [
        'PUT',
        settings,
        {
          resource_provider_packet_processing: {
            [`old-${name}`]: { any: 5 },
            [`host-${name}`]: { any: 6 },
          },
        },
      ],
    }),
    reads: (_ids, name) =>
      [`old-${name}`, `host-${name}`].flatMap((host) => [
        `/placement/resource_providers?name=${host}:Open%20vSwitch%20agent`,
        `/placement/resource_providers?name=${host}:Open%20vSwitch%20agent:br-ex`,
      ]),
  },
  {
    name: 'a server, and ports that request bandwidth',
    async setup(send, name) {
      const host = `host-${name}`;
      await addHost(send, host);
      await mustSucceed(send, ['PUT', settings, bandwidthOf(host, 1000)]);
      const network = await mustSucceed(
        send,
        [
          'POST',
          at('networks'),
          {
            network: {
              name: `net-${name}`,
              'provider:network_type': 'vlan',
              'provider:physical_network': 'public',
            },
          },
        ],
        'network.id',
      );
      const subnet = { network_id: network, ip_version: 4, cidr: '10.9.0.0/24' };
      await mustSucceed(send, ['POST', at('subnets'), { subnet }]);
      const [policy, rule] = await makePolicy(send, `policy-${name}`, 400);
      const [other] = await makePolicy(send, `other-${name}`, 700);
      const port = (): Promise<string> =>
        mustSucceed(
          send,
          ['POST', at('ports'), { port: { network_id: network, qos_policy_id: policy } }],
          'port.id',
        );
      const [used, free, third] = [await port(), await port(), await port()];
      const server = await mustSucceed(
        send,
        [
          'POST',
          servers,
          {
            server: {
              name,
              flavorRef: '42',
              imageRef: cirrosId,
              availability_zone: `nova:${host}`,
              networks: [{ port: used }],
            },
          },
        ],
        'server.id',
      );
      await mustSucceed(send, ['GET', `${servers}/${server}`]);
      return { server, network, policy, rule, other, used, free, third };
    },
    writes: ({ server, network, policy, rule, other, used, free, third }) => {
      const interfaces = `${servers}/${server}/os-interface`;
      const attach = (port: string): RequestSpec => [
        'POST',
        interfaces,
        { interfaceAttachment: { port_id: port } },
      ];
      const replace = (port: string): RequestSpec => [
        'PUT',
        at(`ports/${port}`),
        { port: { qos_policy_id: other } },
      ];
      return {
        'attach a port': attach(free!),
        'attach another port': attach(third!),
        'detach the port': ['DELETE', `${interfaces}/${used}`],
        'replace the policy of the port': replace(used!),
        'replace the policy of a free port': replace(free!),
        'give the network the other policy': [
          'PUT',
          at(`networks/${network}`),
          { network: { qos_policy_id: other } },
        ],
        'leave a free port to its network': [
          'PUT',
          at(`ports/${free}`),
          { port: { qos_policy_id: null } },
        ],
        'guarantee more': [
          'PUT',
          at(`qos/policies/${policy}/minimum_bandwidth_rules/${rule}`),
          { minimum_bandwidth_rule: { min_kbps: 450 } },
        ],
        shelve: ['POST', `${servers}/${server}/action`, { shelve: null }],
        'delete the server': ['DELETE', `${servers}/${server}`],
      };
    },
    reads: ({ server, policy, used, free, third }, name) => [
      `${servers}/${server}`,
      ...[used, free, third].map((port) => at(`ports/${port}`)),
      at(`qos/policies/${policy}`),
      `/placement/allocations/${server}`,
      `/placement/resource_providers?name=host-${name}:Open%20vSwitch%20agent:br-ex`,
    ],
  },
];
