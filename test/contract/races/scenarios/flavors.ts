// Concurrent writes to flavors of Network and their service profiles.
import { mustSucceed, type RequestSpec, type Scenario } from '../races.ts';

const at = (path: string): string => `/network/v2.0/${path}`;

export const flavorScenarios: readonly Scenario[] = [
  {
    name: 'a flavor and its service profiles',
    async setup(send, name) {
      const flavor = await mustSucceed(
        send,
        ['POST', at('flavors'), { flavor: { name, service_type: 'QOS' } }],
        'flavor.id',
      );
      const profile = (metainfo: string): Promise<string> =>
        mustSucceed(
          send,
          ['POST', at('service_profiles'), { service_profile: { metainfo } }],
          'service_profile.id',
        );
      const [used, free] = [await profile('used'), await profile('free')];
      const body = { service_profile: { id: used } };
      await mustSucceed(send, ['POST', at(`flavors/${flavor}/service_profiles`), body]);
      return { flavor, used, free };
    },
    writes: ({ flavor, used, free }) => {
      const update = (id: string | undefined): RequestSpec => [
        'PUT',
        at(`service_profiles/${id}`),
        { service_profile: { enabled: false } },
      ];
      return {
        'give the free profile': [
          'POST',
          at(`flavors/${flavor}/service_profiles`),
          { service_profile: { id: free } },
        ],
        'take the used profile': ['DELETE', at(`flavors/${flavor}/service_profiles/${used}`)],
        'update the free profile': update(free),
        'update the used profile': update(used),
        'delete the free profile': ['DELETE', at(`service_profiles/${free}`)],
        'delete the used profile': ['DELETE', at(`service_profiles/${used}`)],
        'rename the flavor': ['PUT', at(`flavors/${flavor}`), { flavor: { name: 'renamed' } }],
        'delete the flavor': ['DELETE', at(`flavors/${flavor}`)],
      };
    },
    reads: ({ flavor, used, free }) => [
      at(`flavors/${flavor}`),
      at(`service_profiles/${used}`),
      at(`service_profiles/${free}`),
    ],
  },
];
