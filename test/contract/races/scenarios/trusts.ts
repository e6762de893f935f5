// Concurrent writes that create, replace or delete the trusts by which services act for a user.
import { mustSucceed, type Ids, type Scenario, type Send } from '../races.ts';
import { change, cleanUp, instances, lease, leases, makeHost, makeLease } from './reservation.ts';

const root = '/clustering/v1';
const trusts = '/identity/v3/OS-TRUST/trusts';

/** A profile that creates no servers. */
const spec = {
  type: 'os.heat.stack',
  version: '1.0',
  properties: { template: { resources: {} } },
};

/** Deletes all trusts, because Clustering has one for all clusters of a user. */
async function deleteTrusts(send: Send): Promise<void> {
  const { body } = await send('GET', trusts);
  for (const { id } of (body as { trusts: { id: string }[] }).trusts)
    await send('DELETE', `${trusts}/${id}`);
}

const trustId = (send: Send): Promise<string> => mustSucceed(send, ['GET', trusts], 'trusts.0.id');

/** Creates a profile and an empty cluster, and with the cluster the trust of its owner. */
async function makeCluster(send: Send, name: string): Promise<Ids> {
  await deleteTrusts(send);
  const profile = await mustSucceed(
    send,
    ['POST', `${root}/profiles`, { profile: { name: `p-${name}`, spec } }],
    'profile.id',
  );
  const cluster = await mustSucceed(
    send,
    [
      'POST',
      `${root}/clusters`,
      { cluster: { name: `c-${name}`, profile_id: profile, desired_capacity: 0 } },
    ],
    'cluster.id',
  );
  return { profile, cluster, trust: await trustId(send) };
}

const clusterWrites: Scenario['writes'] = ({ profile, cluster, trust }, name) => ({
  'create a cluster': [
    'POST',
    `${root}/clusters`,
    { cluster: { name: `other-${name}`, profile_id: profile, desired_capacity: 0 } },
  ],
  'create a node': ['POST', `${root}/nodes`, { node: { name: `n-${name}`, profile_id: profile } }],
  'create a receiver': [
    'POST',
    `${root}/receivers`,
    {
      receiver: {
        name: `r-${name}`,
        type: 'webhook',
        action: 'CLUSTER_SCALE_OUT',
        cluster_id: cluster,
      },
    },
  ],
  'scale out': ['POST', `${root}/clusters/${cluster}/actions`, { scale_out: { count: 1 } }],
  'delete the trust': ['DELETE', `${trusts}/${trust}`],
});

const clusterReads: Scenario['reads'] = ({ cluster }, name) => [
  trusts,
  `${root}/clusters/${cluster}`,
  `${root}/clusters?name=other-${name}`,
  `${root}/nodes?name=n-${name}`,
  `${root}/receivers?name=r-${name}`,
  `${root}/actions?target=${cluster}`,
];

async function deleteClusters(send: Send, _ids: Ids, name: string): Promise<void> {
  for (const noun of ['receivers', 'clusters', 'nodes']) {
    const { body } = await send('GET', `${root}/${noun}`);
    for (const one of (body as Record<string, { id: string; name: string }[]>)[noun]!)
      if (one.name.endsWith(name)) await send('DELETE', `${root}/${noun}/${one.id}`);
  }
}

/** Their actions run after the reply, and need the trust. */
const finishLater = ['create a node', 'scale out'];

export const trustScenarios: readonly Scenario[] = [
  {
    name: 'the trust of a user for Clustering',
    setup: makeCluster,
    writes: clusterWrites,
    finishLater,
    reads: clusterReads,
    cleanUp: deleteClusters,
  },
  {
    name: 'the deleted trust of a user for Clustering',
    async setup(send, name) {
      const ids = await makeCluster(send, name);
      await deleteTrusts(send);
      return ids;
    },
    writes: clusterWrites,
    finishLater,
    reads: clusterReads,
    cleanUp: deleteClusters,
  },
  {
    name: 'the trust of a lease',
    async setup(send, name) {
      const ids = await makeHost(send, name);
      await deleteTrusts(send);
      const made = await makeLease(send, lease(name, instances(name, 1)));
      return { ...ids, ...made, trust: await trustId(send) };
    },
    writes: ({ host, lease: id, reservation, trust }, name) => ({
      rename: change(id!, { name: `renamed-${name}` }),
      'require affinity': change(id!, { reservations: [{ id: reservation, affinity: true }] }),
      delete: ['DELETE', `${leases}/${id}`],
      'create another lease': lease(`other-${name}`, instances(name, 1)),
      'unregister the host': ['DELETE', `/reservation/v1/os-hosts/${host}`],
      'delete the trust': ['DELETE', `${trusts}/${trust}`],
    }),
    reads: () => [trusts, leases, '/compute/v2.1/os-server-groups?all_projects=1'],
    cleanUp,
  },
  {
    name: 'the deleted trust of a lease',
    async setup(send, name) {
      const ids = await makeHost(send, name);
      await deleteTrusts(send);
      const made = await makeLease(send, lease(name, instances(name, 1)));
      const trust = await trustId(send);
      await deleteTrusts(send);
      return { ...ids, ...made, trust };
    },
    writes: ({ lease: id, reservation, trust }, name) => ({
      rename: change(id!, { name: `renamed-${name}` }),
      'require affinity': change(id!, { reservations: [{ id: reservation, affinity: true }] }),
      delete: ['DELETE', `${leases}/${id}`],
      'delete the trust': ['DELETE', `${trusts}/${trust}`],
    }),
    reads: () => [trusts, leases, '/compute/v2.1/os-server-groups?all_projects=1'],
    cleanUp,
  },
];
