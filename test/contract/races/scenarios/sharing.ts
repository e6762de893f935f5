// Concurrent writes to what projects share in Network.
import { mustSucceed, type RequestSpec, type Scenario } from '../races.ts';

const at = (path: string): string => `/network/v2.0/${path}`;
const red = '3f9d6c1e-0b7a-4a53-9f0e-6a1d0c9b8e71';
const green = '7c2e5b4a-91d3-4c68-8b2f-0e5f7a6d3c92';

export const sharingScenarios: readonly Scenario[] = [
  {
    name: 'a shared network and its policies',
    async setup(send, name) {
      const network = await mustSucceed(
        send,
        ['POST', at('networks'), { network: { name: `n-${name}` } }],
        'network.id',
      );
      const subnet = { subnet: { network_id: network, ip_version: 4, cidr: '10.9.0.0/24' } };
      await mustSucceed(send, ['POST', at('subnets'), subnet]);
      const group = await mustSucceed(
        send,
        ['POST', at('security-groups'), { security_group: { name: `g-${name}` } }],
        'security_group.id',
      );
      const share = (object_type: string, object_id: string): Promise<string> =>
        mustSucceed(
          send,
          [
            'POST',
            at('rbac-policies'),
            {
              rbac_policy: {
                object_type,
                object_id,
                action: 'access_as_shared',
                target_tenant: red,
              },
            },
          ],
          'rbac_policy.id',
        );
      const policy = await share('network', network);
      const ofGroup = await share('security_group', group);
      return { network, group, policy, ofGroup };
    },
    writes: ({ network, group, policy, ofGroup }) => {
      const post = (fields: object): RequestSpec => [
        'POST',
        at('rbac-policies'),
        {
          rbac_policy: {
            object_type: 'network',
            object_id: network,
            action: 'access_as_shared',
            target_tenant: green,
            ...fields,
          },
        },
      ];
      const put = (fields: object): RequestSpec => [
        'PUT',
        at(`networks/${network}`),
        { network: fields },
      ];
      const port = { network_id: network, project_id: red };
      return {
        'create a port for the target': ['POST', at('ports'), { port }],
        'create a port in the shared group': [
          'POST',
          at('ports'),
          { port: { ...port, security_groups: [group] } },
        ],
        'share with another project': post({}),
        'share with all projects': post({ target_tenant: '*' }),
        'share as an external network': post({ action: 'access_as_external' }),
        'change the target': [
          'PUT',
          at(`rbac-policies/${policy}`),
          { rbac_policy: { target_tenant: green } },
        ],
        'delete the policy': ['DELETE', at(`rbac-policies/${policy}`)],
        'delete the policy of the group': ['DELETE', at(`rbac-policies/${ofGroup}`)],
        'set shared': put({ shared: true }),
        'set external': put({ 'router:external': true }),
        'delete the network': ['DELETE', at(`networks/${network}`)],
        'delete the group': ['DELETE', at(`security-groups/${group}`)],
      };
    },
    reads: ({ network, group, policy }) => [
      at(`networks/${network}`),
      at(`rbac-policies?object_id=${network}`),
      at(`rbac-policies?object_id=${group}`),
      at(`rbac-policies/${policy}`),
      at(`ports?network_id=${network}`),
      at(`security-groups/${group}`),
    ],
  },
  {
    name: 'an address group, its policy and rules',
    async setup(send, name) {
      const addressGroup = { name, addresses: ['192.0.2.0/24'] };
      const addresses = await mustSucceed(
        send,
        ['POST', at('address-groups'), { address_group: addressGroup }],
        'address_group.id',
      );
      const group = await mustSucceed(
        send,
        ['POST', at('security-groups'), { security_group: { name: `g-${name}` } }],
        'security_group.id',
      );
      const policy = await mustSucceed(
        send,
        [
          'POST',
          at('rbac-policies'),
          {
            rbac_policy: {
              object_type: 'address_group',
              object_id: addresses,
              action: 'access_as_shared',
              target_tenant: red,
            },
          },
        ],
        'rbac_policy.id',
      );
      return { addresses, group, policy };
    },
    writes: ({ addresses, group, policy }) => {
      const rule = { security_group_id: group, direction: 'ingress' };
      const action = (name: string, address: string): RequestSpec => [
        'PUT',
        at(`address-groups/${addresses}/${name}`),
        { addresses: [address] },
      ];
      return {
        'create a rule': [
          'POST',
          at('security-group-rules'),
          { security_group_rule: { ...rule, remote_address_group_id: addresses } },
        ],
        'add an address': action('add_addresses', '10.0.0.1/32'),
        'remove an address': action('remove_addresses', '192.0.2.0/24'),
        'rename the group': [
          'PUT',
          at(`address-groups/${addresses}`),
          { address_group: { name: 'renamed' } },
        ],
        'delete the group': ['DELETE', at(`address-groups/${addresses}`)],
        'delete the policy': ['DELETE', at(`rbac-policies/${policy}`)],
        'delete the security group': ['DELETE', at(`security-groups/${group}`)],
      };
    },
    reads: ({ addresses, group, policy }) => [
      at(`address-groups/${addresses}`),
      at(`rbac-policies/${policy}`),
      at(`rbac-policies?object_id=${addresses}`),
      at(`security-groups/${group}`),
    ],
  },
  {
    name: 'a QoS policy, its rules and users',
    async setup(send, name) {
      const policy = await mustSucceed(
        send,
        ['POST', at('qos/policies'), { policy: { name } }],
        'policy.id',
      );
      const limit = { bandwidth_limit_rule: { max_kbps: 100 } };
      const rule = await mustSucceed(
        send,
        ['POST', at(`qos/policies/${policy}/bandwidth_limit_rules`), limit],
        'bandwidth_limit_rule.id',
      );
      const network = await mustSucceed(
        send,
        ['POST', at('networks'), { network: { name: `n-${name}` } }],
        'network.id',
      );
      const port = await mustSucceed(
        send,
        ['POST', at('ports'), { port: { network_id: network } }],
        'port.id',
      );
      const sharing = { object_type: 'qos_policy', object_id: policy, target_tenant: red };
      const shared = await mustSucceed(
        send,
        ['POST', at('rbac-policies'), { rbac_policy: { ...sharing, action: 'access_as_shared' } }],
        'rbac_policy.id',
      );
      return { policy, rule, network, port, shared };
    },
    writes: ({ policy, rule, network, port, shared }) => {
      const rules = `qos/policies/${policy}`;
      const macvtap = { network_id: network, 'binding:vnic_type': 'macvtap' };
      const put = (path: string, body: object): RequestSpec => ['PUT', at(path), body];
      return {
        'guarantee more than the limit': [
          'POST',
          at(`${rules}/minimum_bandwidth_rules`),
          { minimum_bandwidth_rule: { min_kbps: 200 } },
        ],
        'raise the limit': put(`${rules}/bandwidth_limit_rules/${rule}`, {
          bandwidth_limit_rule: { max_kbps: 300 },
        }),
        'delete the limit': ['DELETE', at(`${rules}/bandwidth_limit_rules/${rule}`)],
        'attach it to the network': put(`networks/${network}`, {
          network: { qos_policy_id: policy },
        }),
        'attach it to the port': put(`ports/${port}`, { port: { qos_policy_id: policy } }),
        'give the port to a server': put(`ports/${port}`, { port: { device_owner: 'compute:x' } }),
        'create a port that is not supported': ['POST', at('ports'), { port: macvtap }],
        'use it in the target': [
          'POST',
          at('networks'),
          { network: { project_id: red, qos_policy_id: policy } },
        ],
        'make it the default': put(rules, { policy: { is_default: true } }),
        'delete the sharing': ['DELETE', at(`rbac-policies/${shared}`)],
        'delete the policy': ['DELETE', at(rules)],
      };
    },
    reads: ({ policy, network, port, shared }) => [
      at(`qos/policies/${policy}`),
      at(`networks/${network}`),
      at(`ports/${port}`),
      at(`ports?network_id=${network}`),
      at(`rbac-policies/${shared}`),
    ],
  },
];
