// What the policies that place nodes have in common: nodes are spread by weight over places, which
// are zones or regions.
import type { Context } from '../../../../kernel/model.ts';
import type { PlaceOf } from '../nodes/location.ts';
import { propertiesOf } from '../profiles/index.ts';
import type { Json, Profile } from '../../model.ts';
import * as store from '../../store/index.ts';
import { invalidSpec, malformed, pythonList } from '../refusals.ts';
import type { Schema } from '../specs/schema.ts';
import { changeOf, distribute, type Place } from './distribution.ts';
import { fail, type Check, type PolicyType } from './types.ts';

interface Kind extends Pick<PolicyType, 'name' | 'priority' | 'profileTypes'> {
  /** The property of the spec, and the key of the plan in the action's data. */
  readonly places: 'zones' | 'regions';
  readonly schema: Schema;
  /** The names of those that may be used now. */
  readonly usable: (context: Context) => Promise<string[]>;
  readonly placeOf: PlaceOf;
  /**
   * Whether a profile says itself where its nodes stand: one that is made alone is not placed then.
   */
  readonly isPlaced: (properties: Json) => boolean;
  /** The words for places of which none is usable, and for those of a spec that are not there. */
  readonly none: string;
  readonly missing: (names: string) => string;
}

/** The places of a spec. Of a name that stands twice, the first place and the last weight count. */
function placesIn(properties: Json, key: string): Place[] {
  const places = new Map<string, Place>();
  for (const place of properties[key] as Place[]) places.set(place.name, place);
  return [...places.values()];
}

const profileOf = async ({ context }: Check, id: string): Promise<Profile> =>
  (await store.profiles.find(context.db, { id }))!;

/** Plans where the nodes come from or go to, and writes the plan into the action's data. */
async function plan(check: Check, kind: Kind): Promise<void> {
  const { action, data, cluster, owner, context, properties, node } = check;
  const members = (await check.members()).filter(({ id }) => id !== node?.id);
  if (
    action.action === 'NODE_CREATE' &&
    kind.isPlaced(propertiesOf(await profileOf(check, node!.profileId)))
  )
    return;
  const found = changeOf(action, data, cluster, members.length);
  if ('problem' in found) return fail(check, found.problem);
  const { change } = found;
  if (change === 0) return;
  const usable = await kind.usable(owner);
  const places = placesIn(properties, kind.places).filter(({ name }) => usable.includes(name));
  if (!places.length) return fail(check, kind.none);
  const current = new Map(places.map(({ name }) => [name, 0]));
  for (const member of members) {
    const place = await kind.placeOf(context, member);
    // Those that stand elsewhere are not counted.
    if (place !== undefined && current.has(place)) current.set(place, current.get(place)! + 1);
  }
  const planned = distribute(places, Object.fromEntries(current), change);
  if (!planned) return fail(check, 'There is no feasible plan to handle all nodes.');
  if (change > 0) data.creation = { ...data.creation, count: change, [kind.places]: planned };
  else data.deletion = { ...data.deletion, count: -change, [kind.places]: planned };
}

/** A policy that places nodes. */
export const placementPolicy = (kind: Kind): PolicyType => ({
  name: kind.name,
  version: '1.0',
  support: {
    '1.0': [
      { status: 'EXPERIMENTAL', since: '2016.04' },
      { status: 'SUPPORTED', since: '2016.10' },
    ],
  },
  priority: kind.priority,
  singleton: true,
  ...(kind.profileTypes ? { profileTypes: kind.profileTypes } : {}),
  targets: {
    BEFORE: ['CLUSTER_SCALE_OUT', 'CLUSTER_SCALE_IN', 'CLUSTER_RESIZE', 'NODE_CREATE'],
    AFTER: [],
  },
  schema: kind.schema,
  validate: (_context, properties) => {
    if (!properties[kind.places]) throw malformed();
  },
  validateInCloud: async (context, properties) => {
    const usable = await kind.usable(context);
    const names = placesIn(properties, kind.places).map(({ name }) => name ?? 'None');
    const missing = names.filter((name) => !usable.includes(name)).toSorted();
    if (missing.length) throw invalidSpec(kind.missing(pythonList(missing)));
  },
  before: (check) => plan(check, kind),
});
