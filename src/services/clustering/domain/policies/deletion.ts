// The policy senlin.policy.deletion chooses the nodes to remove when a cluster shrinks, and how.
import * as store from '../../store/index.ts';
import { counted } from '../../../../kernel/user/sentences.ts';
import { isUnhealthy, plannedVictims, victims, type Criterion } from '../clusters/victims.ts';
import type { ActionData, Deletion, Node } from '../../model.ts';
import { boolean, integer, map, text } from '../specs/schema.ts';
import { changeOf } from './distribution.ts';
import type { PolicyNote } from './explanation.ts';
import { failCheck, type Check, type PolicyType } from './types.ts';

/** Adds the chosen nodes to the data of the action. */
const withCandidates = (
  data: ActionData,
  properties: Check['properties'],
  candidates: readonly string[],
  planned?: Deletion,
): ActionData => ({
  ...data,
  deletion: {
    ...planned,
    count: candidates.length,
    candidates,
    destroy_after_deletion: properties['destroy_after_deletion'] as boolean,
    grace_period: properties['grace_period'] as number,
    reduce_desired_capacity: properties['reduce_desired_capacity'] as boolean,
  },
  reason: 'Candidates generated',
});

async function before(check: Check): Promise<ActionData> {
  const { action, properties, node } = check;
  const given = action.inputs['candidates'] as string[] | undefined;
  if (given?.length) {
    check.notes.add(() => ({ text: `the request names ${counted(given.length, 'node')}` }));
    return withCandidates(check.data, properties, given);
  }
  if (action.action === 'NODE_DELETE') return withCandidates(check.data, properties, [node!.id]);
  const hooks = (properties['hooks'] ?? {}) as NonNullable<ActionData['hooks']>;
  const withHooks = { ...check.data, hooks };
  const members = await check.members();
  const found = changeOf(check, withHooks, members.length);
  if ('problem' in found) return failCheck(withHooks, found.problem);
  const { change, data } = found;
  // A cluster that grows removes no nodes.
  if (change >= 0 && action.action === 'CLUSTER_RESIZE') return data;
  const candidates = await chooseCandidates(check, data, members, -change);
  check.notes.add(() => choiceNote(check, members, candidates, data.deletion));
  return withCandidates(data, properties, candidates, data.deletion);
}

/** Which nodes are removed, and by which rule. */
function choiceNote(
  { properties }: Check,
  members: readonly Node[],
  candidates: readonly string[],
  { zones, regions }: Partial<Deletion> = {},
): PolicyNote {
  const criterion = properties['criteria'] as Criterion;
  const byId = new Map(members.map((node) => [node.id, node]));
  const chosen = candidates.flatMap((id) => byId.get(id) ?? []);
  const why = (node: Node): string =>
    isUnhealthy(node)
      ? node.tainted
        ? 'tainted'
        : node.status
      : node.createdAt === null
        ? 'not created'
        : criterion;
  const plan = zones ?? regions;
  return {
    text:
      `removes ${candidates.length} of ${counted(members.length, 'node')}: ` +
      chosen.map((node) => `${node.name} (${why(node)})`).join(', ') +
      (plan ? `; as planned for each place: ${JSON.stringify(plan)}` : ''),
    values: {
      criteria: criterion,
      members: members.length,
      chosen: chosen.map((node) => ({ id: node.id, name: node.name, reason: why(node) })),
    },
  };
}

async function chooseCandidates(
  check: Check,
  { deletion }: ActionData,
  members: readonly Node[],
  count: number,
): Promise<string[]> {
  const criterion = check.properties['criteria'] as Criterion;
  const from = criterion === 'OLDEST_PROFILE_FIRST' ? await withAges(check, members) : members;
  const choose = (nodes: readonly Node[], many: number) => victims(nodes, many, criterion);
  return plannedVictims(check.context, check.action, from, count, choose, deletion);
}

/** The nodes with the ages of their profiles. */
async function withAges({ context }: Check, members: readonly Node[]): Promise<Node[]> {
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
    'Whether the desired capacity of the cluster should be reduced along the deletion. ' +
      'Default to True.',
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
  // Upstream shows and accepts hooks in both versions.
  schema: { ...schema, hooks },
  before,
});

export const deletion = [policyOf('1.0'), policyOf('1.1')];
