// Concurrent writes to the conntrack helpers of a router.
import { mustSucceed, type RequestSpec, type Scenario } from '../races.ts';

const at = (path: string): string => `/network/v2.0/routers${path}`;

export const conntrackHelperScenarios: readonly Scenario[] = [
  {
    name: 'a router and its conntrack helpers',
    async setup(send, name) {
      const router = await mustSucceed(send, ['POST', at(''), { router: { name } }], 'router.id');
      const helper = await mustSucceed(
        send,
        [
          'POST',
          at(`/${router}/conntrack_helpers`),
          { conntrack_helper: { protocol: 'udp', port: 69, helper: 'tftp' } },
        ],
        'conntrack_helper.id',
      );
      return { router, helper };
    },
    writes: ({ router, helper }) => {
      const write = (method: string, path: string, port: number): RequestSpec => [
        method,
        at(`/${router}/conntrack_helpers${path}`),
        { conntrack_helper: { protocol: 'udp', port, helper: 'tftp' } },
      ];
      return {
        'create a helper': write('POST', '', 70),
        'make the helper like the new one': write('PUT', `/${helper}`, 70),
        'delete the helper': ['DELETE', at(`/${router}/conntrack_helpers/${helper}`)],
        'delete the router': ['DELETE', at(`/${router}`)],
      };
    },
    reads: ({ router }) => [at(`/${router}`), at(`/${router}/conntrack_helpers?fields=port`)],
  },
];
