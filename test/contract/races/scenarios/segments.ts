// Concurrent writes to segments, and to the subnets and ports on them.
import { mustSucceed, type RequestSpec, type Scenario } from '../races.ts';

const at = (path: string): string => `/network/v2.0/${path}`;

export const segmentScenarios: readonly Scenario[] = [
  {
    name: 'a segment, its network and a subnet on it',
    async setup(send, name) {
      const network = await mustSucceed(
        send,
        ['POST', at('networks'), { network: { name } }],
        'network.id',
      );
      const segment = await mustSucceed(
        send,
        ['POST', at('segments'), { segment: { network_id: network, network_type: 'geneve' } }],
        'segment.id',
      );
      return { network, segment };
    },
    writes: ({ network, segment }) => {
      const subnet = (cidr: string, segment_id: string | null): RequestSpec => [
        'POST',
        at('subnets'),
        { subnet: { network_id: network, ip_version: 4, cidr, segment_id } },
      ];
      return {
        'create a subnet on the segment': subnet('10.1.0.0/24', segment!),
        'create a subnet on no segment': subnet('10.2.0.0/24', null),
        'create a segment': [
          'POST',
          at('segments'),
          { segment: { network_id: network, network_type: 'gre' } },
        ],
        'delete the segment': ['DELETE', at(`segments/${segment}`)],
        'delete the network': ['DELETE', at(`networks/${network}`)],
      };
    },
    // The segmentation ids that are free differ between attempts.
    reads: ({ network }) => [
      at(`networks/${network}?fields=subnets&fields=l2_adjacency&fields=provider:network_type`),
      at(`segments?network_id=${network}&fields=network_type&fields=revision_number`),
      at(`subnets?network_id=${network}`),
    ],
  },
];
