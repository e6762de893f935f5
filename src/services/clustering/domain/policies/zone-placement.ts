// The policy senlin.policy.zone_placement: the nodes of a cluster stand in availability zones by weight.
import { actingOn } from '../owners.ts';
import { availableZones } from '../../neighbours/compute.ts';
import { propertiesOf, typeOfProfile } from '../profiles/index.ts';
import * as store from '../../store/index.ts';
import type { Json, Node } from '../records.ts';
import { invalidSpec, malformed, pythonList } from '../refusals.ts';
import { integer, list, map, text } from '../schema.ts';
import { changeOf, distribute, type Place } from './distribution.ts';
import { fail, type Check, type PolicyType } from './types.ts';

/** The zones of the spec. Of a name that stands twice, the first place and the last weight count. */
function zonesOf(properties: Json): Place[] {
  const weights = new Map<string, number>();
  for (const { name, weight } of properties['zones'] as { name: string; weight: number }[]) weights.set(name, weight);
  return [...weights].map(([name, weight]) => ({ name, weight }));
}

/** Where the node stands: by its data, else as Compute says. */
export async function zoneOf({ work }: Pick<Check, 'work'>, node: Node): Promise<string | undefined> {
  if (node.data.placement?.zone || !node.physicalId) return node.data.placement?.zone;
  const profile = (await store.profiles.find(work.db, { id: node.profileId }))!;
  const { driver } = typeOfProfile(profile);
  return driver.zone?.({ work: await actingOn(work, node), node, properties: propertiesOf(profile), memory: {} });
}

/** A node that is made for itself needs no place where its profile has one already. */
async function needsPlace({ work, node }: Check): Promise<boolean> {
  const profile = (await store.profiles.find(work.db, { id: node!.profileId }))!;
  return !propertiesOf(profile)['availability_zone'];
}

async function before(check: Check): Promise<void> {
  const { action, data, cluster, owner, properties, node } = check;
  const members = (await check.members()).filter(({ id }) => id !== node?.id);
  if (action.action === 'NODE_CREATE' && !(await needsPlace(check))) return;
  const found = changeOf(action, data, cluster, members.length);
  if ('problem' in found) return fail(check, found.problem);
  const { change } = found;
  if (change === 0) return;
  if (Number.isNaN(change))
    return fail(check, `Invalid count (${String(action.inputs['count'])}) for action '${action.action}'.`);
  const available = await availableZones(owner);
  const zones = zonesOf(properties).filter(({ name }) => available.includes(name));
  if (!zones.length) return fail(check, 'No availability zone found available.');
  const current: Record<string, number> = Object.fromEntries(zones.map(({ name }) => [name, 0]));
  for (const member of members) {
    const zone = await zoneOf(check, member);
    if (zone !== undefined && Object.hasOwn(current, zone)) current[zone]!++;
  }
  const plan = distribute(zones, current, change);
  if (!plan) return fail(check, 'There is no feasible plan to handle all nodes.');
  if (change > 0) data.creation = { ...data.creation, count: change, zones: plan };
  else data.deletion = { ...data.deletion, count: -change, zones: plan };
}

const zone = map('An availability zone as candidate.', {
  name: text('Name of an availability zone.'),
  weight: integer('Weight of the availability zone (default is 100).', { initial: 100 }),
});

export const zonePlacement: PolicyType = {
  name: 'senlin.policy.zone_placement',
  version: '1.0',
  support: {
    '1.0': [
      { status: 'EXPERIMENTAL', since: '2016.04' },
      { status: 'SUPPORTED', since: '2016.10' },
    ],
  },
  priority: 300,
  singleton: true,
  profileTypes: ['os.nova.server-1.0'],
  targets: { BEFORE: ['CLUSTER_SCALE_OUT', 'CLUSTER_SCALE_IN', 'CLUSTER_RESIZE', 'NODE_CREATE'], AFTER: [] },
  schema: { zones: list('List of availability zones to choose from.', zone) },
  validate: (_work, { zones }) => {
    if (!zones) throw malformed();
  },
  validateInCloud: async (work, properties) => {
    const available = await availableZones(work);
    const missing = zonesOf(properties).map(({ name }) => name ?? 'None').filter((name) => !available.includes(name)); // prettier-ignore
    if (missing.length) throw invalidSpec(`The specified name '${pythonList(missing.toSorted())}' could not be found.`);
  },
  before,
};
