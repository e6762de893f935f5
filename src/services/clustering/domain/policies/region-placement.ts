// The policy senlin.policy.region_placement: the nodes of a cluster are spread over regions by weight.
import { regionNames } from '../../neighbours/identity.ts';
import * as store from '../../store/index.ts';
import { propertiesOf } from '../profiles/index.ts';
import type { Json } from '../records.ts';
import { invalidSpec, malformed, pythonList } from '../refusals.ts';
import { integer, list, map, text } from '../schema.ts';
import { changeOf, distribute, type Place } from './distribution.ts';
import { fail, type Check, type PolicyType } from './types.ts';

const regionsOf = (properties: Json): Place[] => properties['regions'] as Place[];

async function hasRegion({ work, node }: Check): Promise<boolean> {
  const profile = (await store.profiles.find(work.db, { id: node!.profileId }))!;
  return Boolean((propertiesOf(profile)['context'] as Json | null)?.['region_name']);
}

async function before(check: Check): Promise<void> {
  const { action, data, cluster, work, properties, node } = check;
  const members = (await check.members()).filter(({ id }) => id !== node?.id);
  if (action.action === 'NODE_CREATE' && (await hasRegion(check))) return;
  const found = changeOf(action, data, cluster, members.length);
  if ('problem' in found) return fail(check, found.problem);
  const { change } = found;
  if (change === 0) return;
  if (Number.isNaN(change))
    return fail(check, `Invalid count (${String(action.inputs['count'])}) for action '${action.action}'.`);
  const known = await regionNames(work);
  const regions = regionsOf(properties).filter(({ name }) => known.includes(name));
  if (!regions.length) return fail(check, 'No region is found usable.');
  const current: Record<string, number> = {};
  for (const { data: its } of members) {
    const region = its.placement?.region_name;
    if (region !== undefined) current[region] = (current[region] ?? 0) + 1;
  }
  const plan = distribute(regions, current, change);
  if (!plan) return fail(check, 'There is no feasible plan to handle all nodes.');
  if (change > 0) data.creation = { ...data.creation, count: change, regions: plan };
  else data.deletion = { ...data.deletion, count: -change, regions: plan };
}

const region = map('An region as a candidate.', {
  name: text('Name of a region.'),
  weight: integer('Weight of the region. The default is 100.', { initial: 100 }),
  cap: integer('Maximum number of nodes in this region. The default is -1 which means no cap set.', { initial: -1 }),
});

export const regionPlacement: PolicyType = {
  name: 'senlin.policy.region_placement',
  version: '1.0',
  support: {
    '1.0': [
      { status: 'EXPERIMENTAL', since: '2016.04' },
      { status: 'SUPPORTED', since: '2016.10' },
    ],
  },
  priority: 200,
  singleton: true,
  targets: { BEFORE: ['CLUSTER_SCALE_OUT', 'CLUSTER_SCALE_IN', 'CLUSTER_RESIZE', 'NODE_CREATE'], AFTER: [] },
  schema: { regions: list('List of regions to choose from.', region) },
  validate: (_work, { regions }) => {
    if (!regions) throw malformed();
  },
  validateInCloud: async (work, properties) => {
    const known = await regionNames(work);
    const missing = regionsOf(properties).map(({ name }) => name ?? 'None').filter((name) => !known.includes(name)); // prettier-ignore
    if (missing.length) throw invalidSpec(`The specified regions '${pythonList(missing.toSorted())}' could not be found.`);
  },
  before,
};
