// Concurrent writes to a trunk and its ports.
import { mustSucceed, type RequestSpec, type Scenario } from '../races.ts';

const at = (path: string): string => `/network/v2.0/${path}`;

/** What trunks change of ports, but not the name of the bridge, which has a generated part. */
const portFields = ['id', 'status', 'device_owner', 'binding:host_id', 'trunk_details'];

export const trunkScenarios: readonly Scenario[] = [
  {
    name: 'a trunk and its ports',
    async setup(send, name) {
      const network = await mustSucceed(
        send,
        ['POST', at('networks'), { network: { name: `n-${name}` } }],
        'network.id',
      );
      const newPort = (): Promise<string> =>
        mustSucceed(send, ['POST', at('ports'), { port: { network_id: network } }], 'port.id');
      const [parent, other, inside, free] = [
        await newPort(),
        await newPort(),
        await newPort(),
        await newPort(),
      ];
      const sub_ports = [{ port_id: inside, segmentation_type: 'vlan', segmentation_id: 1 }];
      const trunk = await mustSucceed(
        send,
        ['POST', at('trunks'), { trunk: { port_id: parent, sub_ports } }],
        'trunk.id',
      );
      return { network, parent, other, inside, free, trunk };
    },
    writes: ({ parent, other, inside, free, trunk }) => {
      const change = (action: string, port_id: string | undefined): RequestSpec => [
        'PUT',
        at(`trunks/${trunk}/${action}_subports`),
        { sub_ports: [{ port_id, segmentation_type: 'vlan', segmentation_id: 2 }] },
      ];
      const bind = (port: string | undefined): RequestSpec => [
        'PUT',
        at(`ports/${port}`),
        { port: { 'binding:host_id': 'h1' } },
      ];
      const create = (port_id: string | undefined): RequestSpec => [
        'POST',
        at('trunks'),
        { trunk: { port_id } },
      ];
      return {
        'add a subport': change('add', free),
        'add another with the same segmentation': change('add', other),
        'remove a subport': change('remove', inside),
        'disable the trunk': ['PUT', at(`trunks/${trunk}`), { trunk: { admin_state_up: false } }],
        'delete the trunk': ['DELETE', at(`trunks/${trunk}`)],
        'bind the parent': bind(parent),
        'bind the other port': bind(other),
        'create another trunk': create(other),
        'create a trunk on a free port': create(free),
        'delete the subport': ['DELETE', at(`ports/${inside}`)],
        'delete the free port': ['DELETE', at(`ports/${free}`)],
      };
    },
    reads: ({ network, parent, other, inside, free, trunk }) => [
      at(`trunks/${trunk}`),
      at(`trunks?${[parent, other, inside, free].map((id) => `port_id=${id}`).join('&')}`),
      at(`ports?network_id=${network}&${portFields.map((name) => `fields=${name}`).join('&')}`),
    ],
  },
];
