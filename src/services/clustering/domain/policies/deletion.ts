// The policy senlin.policy.deletion: which nodes go when a cluster shrinks, and how.
import * as store from '../../store/index.ts';
import { plannedVictims, victims, type Criterion } from '../clusters/victims.ts';
import type { Deletion, Json, Node } from '../../model.ts';
import { boolean, integer, map, text } from '../specs/schema.ts';
import { changeOf } from './distribution.ts';
import { fail, type Check, type PolicyType } from './types.ts';

function decide(
  { data, properties }: Check,
  candidates: readonly string[],
  before?: Deletion,
): void {
  data.deletion = {
    ...before,
    count: candidates.length,
    candidates: [...candidates],
    destroy_after_deletion: properties['destroy_after_deletion'] as boolean,
    grace_period: properties['grace_period'] as number,
    reduce_desired_capacity: properties['reduce_desired_capacity'] as boolean,
  };
  data.reason = 'Candidates generated';
}

async function before(check: Check): Promise<void> {
  const { action, data, cluster, properties, node } = check;
  const given = action.inputs['candidates'] as string[] | undefined;
  if (given?.length) return decide(check, given);
  if (action.action === 'NODE_DELETE') return decide(check, [node!.id]);
  data.hooks = (properties['hooks'] as Json | null) ?? {};
  const members = await check.members();
  const found = changeOf(action, data, cluster, members.length);
  if ('problem' in found) return fail(check, found.problem);
  // A cluster that grows loses nobody.
  if (found.change >= 0 && action.action === 'CLUSTER_RESIZE') return;
  decide(check, await candidatesFor(check, members, -found.change), data.deletion);
}

async function candidatesFor(
  check: Check,
  members: readonly Node[],
  count: number,
): Promise<string[]> {
  const { data, properties, context } = check;
  const criterion = properties['criteria'] as Criterion;
  const aged = criterion === 'OLDEST_PROFILE_FIRST' ? await withProfiles(check, members) : members;
  return plannedVictims(
    context,
    aged,
    count,
    (from, many) => victims(from, many, criterion),
    data.deletion,
  );
}

async function withProfiles({ context }: Check, members: readonly Node[]): Promise<Node[]> {
  const profiles = await store.profiles.among(context.db, 'id', [
    ...new Set(members.map(({ profileId }) => profileId)),
  ]);
  const ages = new Map(profiles.map(({ id, createdAt }) => [id, createdAt ?? 0]));
  return members.map((node) => ({ ...node, profileCreatedAt: ages.get(node.profileId) ?? 0 }));
}

const schema = {
  criteria: text('Criteria used in selecting candidates for deletion', {
    initial: 'RANDOM',
    allowed: ['OLDEST_FIRST', 'OLDEST_PROFILE_FIRST', 'YOUNGEST_FIRST', 'RANDOM'],
  }),
  destroy_after_deletion: boolean(
    'Whether a node should be completely destroyed after deletion. Default to True',
    {
      initial: true,
    },
  ),
  grace_period: integer('Number of seconds before real deletion happens.', { initial: 0 }),
  reduce_desired_capacity: boolean(
    'Whether the desired capacity of the cluster should be reduced along the deletion. Default to True.',
    { initial: true },
  ),
};

const hooks = map(
  'Lifecycle hook properties',
  {
    type: text('Type of lifecycle hook', { initial: 'zaqar', allowed: ['zaqar', 'webhook'] }),
    params: map(
      '',
      {
        queue: text('Zaqar queue to receive lifecycle hook message', { initial: '' }),
        url: text('Url sink to which to send lifecycle hook message', { initial: '' }),
      },
      { initial: {} },
    ),
    timeout: integer('Number of seconds before actual deletion happens.', { initial: 0 }),
  },
  { initial: {} },
);

const policyOf = (version: string): PolicyType => ({
  name: 'senlin.policy.deletion',
  version,
  support: {
    '1.0': [{ status: 'SUPPORTED', since: '2016.04' }],
    '1.1': [{ status: 'SUPPORTED', since: '2018.01' }],
  },
  priority: 400,
  singleton: true,
  targets: {
    BEFORE: ['CLUSTER_SCALE_IN', 'CLUSTER_DEL_NODES', 'CLUSTER_RESIZE', 'NODE_DELETE'],
    AFTER: [],
  },
  // Upstream shows and takes hooks in either version.
  schema: { ...schema, hooks },
  before,
});

export const deletion = [policyOf('1.0'), policyOf('1.1')];
