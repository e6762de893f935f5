// Concurrent writes of Clustering, with each other and with requests to Compute.
import { cirrosId } from '../../../../src/services/image/index.ts';
import { mustSucceed, type Send, type RequestSpec, type Scenario, type Ids } from '../races.ts';

const root = '/clustering/v1';

/** A profile that creates no servers, for races about Clustering's own rows. */
const stack = (words: string): object => ({
  type: 'os.heat.stack',
  version: '1.0',
  properties: { template: { resources: {} }, context: { words } },
});

const nova = (flavor: string): object => ({
  type: 'os.nova.server',
  version: '1.0',
  properties: { flavor, image: cirrosId },
});

const profileOf = (send: Send, name: string, spec: object): Promise<string> =>
  mustSucceed(send, ['POST', `${root}/profiles`, { profile: { name, spec } }], 'profile.id');

const policyOf = (
  send: Send,
  name: string,
  type: string,
  properties: object,
  version = '1.0',
): Promise<string> =>
  mustSucceed(
    send,
    [
      'POST',
      `${root}/policies`,
      { policy: { name, spec: { type: `senlin.policy.${type}`, version, properties } } },
    ],
    'policy.id',
  );

const nodeOf = (send: Send, name: string, profile_id: string): Promise<string> =>
  mustSucceed(send, ['POST', `${root}/nodes`, { node: { name, profile_id } }], 'node.id');

/** Creates a cluster whose nodes are named after their index. */
const clusterOf = (
  send: Send,
  name: string,
  profile_id: string,
  desired_capacity: number,
): Promise<string> => {
  const cluster = {
    name,
    profile_id,
    desired_capacity,
    max_size: 4,
    config: { 'node.name.format': 'node-$I' },
  };
  return mustSucceed(send, ['POST', `${root}/clusters`, { cluster }], 'cluster.id');
};

const act = (cluster: string | undefined, action: string, args: object = {}): RequestSpec => [
  'POST',
  `${root}/clusters/${cluster}/actions`,
  { [action]: args },
];

/** Reads the cluster, its policies, its nodes and its actions. */
const seen = (cluster: string | undefined): string[] => [
  `${root}/clusters/${cluster}`,
  `${root}/clusters/${cluster}/policies`,
  `${root}/nodes?cluster_id=${cluster}&sort=index`,
  `${root}/actions?target=${cluster}`,
];

/** Deletes the cluster, because their number per project is limited. */
async function cleanUp(send: Send, { cluster }: Ids): Promise<void> {
  if (cluster) await send('DELETE', `${root}/clusters/${cluster}`);
}

export const clusteringScenarios: readonly Scenario[] = [
  {
    name: 'a cluster and its nodes',
    async setup(send, name) {
      const [profile, other] = [
        await profileOf(send, `p-${name}`, stack('a')),
        await profileOf(send, `o-${name}`, stack('b')),
      ];
      const cluster = await clusterOf(send, `c-${name}`, profile, 2);
      const free = await nodeOf(send, `free-${name}`, profile);
      const first = await mustSucceed(
        send,
        ['GET', `${root}/nodes?cluster_id=${cluster}&sort=index&limit=1`],
        'nodes.0.id',
      );
      // Scaling in removes a tainted node before others, which it chooses at random.
      for (const id of [first, free])
        await mustSucceed(send, ['PATCH', `${root}/nodes/${id}`, { node: { tainted: true } }]);
      return { profile, other, cluster, free, first };
    },
    writes: ({ cluster, first, free, profile, other }, name) => ({
      rename: ['PATCH', `${root}/clusters/${cluster}`, { cluster: { name: `renamed-${name}` } }],
      'change its profile': [
        'PATCH',
        `${root}/clusters/${cluster}`,
        { cluster: { profile_id: other } },
      ],
      'scale out': act(cluster, 'scale_out', { count: 1 }),
      'scale in': act(cluster, 'scale_in', { count: 1 }),
      resize: act(cluster, 'resize', {
        adjustment_type: 'EXACT_CAPACITY',
        number: 3,
        strict: true,
      }),
      'set its limits': act(cluster, 'resize', { max_size: 2, strict: true }),
      'add the free node': act(cluster, 'add_nodes', { nodes: [free] }),
      'remove the first node': act(cluster, 'del_nodes', { nodes: [first] }),
      'replace the first node': act(cluster, 'replace_nodes', { nodes: { [first!]: free } }),
      check: act(cluster, 'check'),
      'create a node in the cluster': [
        'POST',
        `${root}/nodes`,
        { node: { name: `n-${name}`, profile_id: profile, cluster_id: cluster } },
      ],
      'rename the first node': [
        'PATCH',
        `${root}/nodes/${first}`,
        { node: { name: `first-${name}` } },
      ],
      'recover the first node': ['POST', `${root}/nodes/${first}/actions`, { recover: {} }],
      'delete the first node': ['DELETE', `${root}/nodes/${first}`],
      'delete the free node': ['DELETE', `${root}/nodes/${free}`],
      delete: ['DELETE', `${root}/clusters/${cluster}`],
    }),
    reads: ({ cluster, first, free }) => [
      ...seen(cluster),
      ...[first, free].flatMap((node) => [
        `${root}/nodes/${node}`,
        `${root}/actions?target=${node}`,
      ]),
    ],
    cleanUp,
  },
  {
    name: 'a profile',
    async setup(send, name) {
      const [profile, other] = [
        await profileOf(send, `p-${name}`, stack('a')),
        await profileOf(send, `o-${name}`, stack('b')),
      ];
      return {
        profile,
        other,
        cluster: await clusterOf(send, `c-${name}`, other, 1),
        node: await nodeOf(send, `n-${name}`, other),
      };
    },
    writes: ({ profile, cluster, node }, name) => {
      const at = `${root}/profiles/${profile}`;
      return {
        rename: ['PATCH', at, { profile: { name: `renamed-${name}` } }],
        'rename it differently': ['PATCH', at, { profile: { name: `otherwise-${name}` } }],
        'set its metadata': ['PATCH', at, { profile: { metadata: { a: '1' } } }],
        delete: ['DELETE', at],
        'create a cluster with it': [
          'POST',
          `${root}/clusters`,
          { cluster: { name: `new-${name}`, profile_id: profile } },
        ],
        'create a node with it': [
          'POST',
          `${root}/nodes`,
          { node: { name: `new-${name}`, profile_id: profile } },
        ],
        'assign it to the cluster': [
          'PATCH',
          `${root}/clusters/${cluster}`,
          { cluster: { profile_id: profile } },
        ],
        'assign it to the node': [
          'PATCH',
          `${root}/nodes/${node}`,
          { node: { profile_id: profile } },
        ],
      };
    },
    reads: ({ profile, cluster, node }, name) => [
      `${root}/profiles/${profile}`,
      `${root}/clusters?name=new-${name}`,
      `${root}/nodes?name=new-${name}`,
      `${root}/nodes/${node}`,
      ...seen(cluster),
    ],
    async cleanUp(send, ids, name) {
      await cleanUp(send, ids);
      await send('DELETE', `${root}/clusters/new-${name}`);
    },
  },
  {
    name: 'policies of a cluster',
    async setup(send, name) {
      const cluster = await clusterOf(
        send,
        `c-${name}`,
        await profileOf(send, `p-${name}`, stack('a')),
        1,
      );
      const adjustment = { type: 'CHANGE_IN_CAPACITY', number: 2, best_effort: true, cooldown: 60 };
      const scaling = { event: 'CLUSTER_SCALE_OUT', adjustment };
      const bound = await policyOf(send, `bound-${name}`, 'scaling', scaling);
      await mustSucceed(send, act(cluster, 'policy_attach', { policy_id: bound }));
      const [one, other] = [
        await policyOf(send, `one-${name}`, 'deletion', {}),
        await policyOf(send, `other-${name}`, 'deletion', {}),
      ];
      return { cluster, bound, one, other };
    },
    writes: ({ cluster, bound, one, other }, name) => ({
      attach: act(cluster, 'policy_attach', { policy_id: one }),
      'attach another policy of the same type': act(cluster, 'policy_attach', { policy_id: other }),
      detach: act(cluster, 'policy_detach', { policy_id: bound }),
      disable: act(cluster, 'policy_update', { policy_id: bound, enabled: false }),
      'rename the attached policy': [
        'PATCH',
        `${root}/policies/${bound}`,
        { policy: { name: `renamed-${name}` } },
      ],
      'delete the attached policy': ['DELETE', `${root}/policies/${bound}`],
      'delete the other policy': ['DELETE', `${root}/policies/${one}`],
      'scale out': act(cluster, 'scale_out'),
      'delete the cluster': ['DELETE', `${root}/clusters/${cluster}`],
    }),
    reads: ({ cluster, bound, one, other }) => [
      ...seen(cluster),
      ...[bound, one, other].map((policy) => `${root}/policies/${policy}`),
    ],
    cleanUp,
  },
  {
    name: 'a receiver',
    async setup(send, name) {
      const cluster = await clusterOf(
        send,
        `c-${name}`,
        await profileOf(send, `p-${name}`, stack('a')),
        1,
      );
      const receiver = {
        name: `r-${name}`,
        type: 'webhook',
        cluster_id: cluster,
        action: 'CLUSTER_SCALE_OUT',
      };
      return {
        cluster,
        receiver: await mustSucceed(
          send,
          ['POST', `${root}/receivers`, { receiver }],
          'receiver.id',
        ),
      };
    },
    writes: ({ cluster, receiver }, name) => {
      const at = `${root}/receivers/${receiver}`;
      return {
        rename: ['PATCH', at, { receiver: { name: `renamed-${name}` } }],
        'change its action': ['PATCH', at, { receiver: { action: 'CLUSTER_CHECK' } }],
        'change its parameters': ['PATCH', at, { receiver: { params: { count: '2' } } }],
        trigger: ['POST', `${root}/webhooks/${receiver}/trigger?V=2`],
        'create another receiver': [
          'POST',
          `${root}/receivers`,
          {
            receiver: {
              name: `s-${name}`,
              type: 'webhook',
              cluster_id: cluster,
              action: 'CLUSTER_SCALE_IN',
            },
          },
        ],
        delete: ['DELETE', at],
        'delete the cluster': ['DELETE', `${root}/clusters/${cluster}`],
      };
    },
    reads: ({ cluster, receiver }, name) => [
      `${root}/receivers/${receiver}`,
      `${root}/receivers?name=s-${name}`,
      ...seen(cluster),
    ],
    cleanUp,
  },
  {
    name: 'a node with a server',
    async setup(send, name) {
      const profile = await profileOf(send, `p-${name}`, nova('42'));
      const other = await profileOf(send, `o-${name}`, nova('1'));
      const cluster = await clusterOf(send, `c-${name}`, profile, 0);
      const node = await nodeOf(send, `n-${name}`, profile);
      const server = await mustSucceed(send, ['GET', `${root}/nodes/${node}`], 'node.physical_id');
      return { profile, other, cluster, node, server };
    },
    writes: ({ cluster, node, server, other }, name) => {
      const at = `${root}/nodes/${node}`;
      return {
        rename: ['PATCH', at, { node: { name: `renamed-${name}` } }],
        'change its profile': ['PATCH', at, { node: { profile_id: other } }],
        check: ['POST', `${at}/actions`, { check: {} }],
        recover: ['POST', `${at}/actions`, { recover: { operation: 'RECREATE' } }],
        pause: ['POST', `${at}/ops`, { pause: {} }],
        'add it to the cluster': act(cluster, 'add_nodes', { nodes: [node] }),
        adopt: [
          'POST',
          `${root}/nodes/adopt`,
          { identity: server, type: 'os.nova.server-1.0', name: `adopted-${name}` },
        ],
        delete: ['DELETE', at],
        'delete the cluster': ['DELETE', `${root}/clusters/${cluster}`],
        'stop the server': ['POST', `/compute/v2.1/servers/${server}/action`, { 'os-stop': null }],
        'delete the server': ['DELETE', `/compute/v2.1/servers/${server}`],
      };
    },
    finishLater: ['stop the server', 'delete the server'],
    reads: ({ cluster, node, server }, name) => [
      ...seen(cluster),
      `${root}/nodes/${node}`,
      `${root}/actions?target=${node}`,
      `${root}/nodes?name=adopted-${name}`,
      `/compute/v2.1/servers/${server}`,
      `/compute/v2.1/servers/detail?name=${name}`,
      `/placement/allocations/${server}`,
    ],
    async cleanUp(send, ids, name) {
      await cleanUp(send, ids);
      const { body } = await send('GET', `/compute/v2.1/servers?name=${name}`);
      for (const { id } of (body as { servers: { id: string }[] }).servers)
        await send('DELETE', `/compute/v2.1/servers/${id}`);
    },
  },
];
