// The placement policies: nodes are distributed by weight over places, which are zones or regions.
import type { Context } from '../../../../kernel/model.ts';
import type { PlaceOf } from '../nodes/location.ts';
import { propertiesOf } from '../profiles/index.ts';
import type { ActionData, Json, Profile } from '../../model.ts';
import * as store from '../../store/index.ts';
import { invalidSpec, malformed, pythonList } from '../refusals.ts';
import type { Schema } from '../specs/schema.ts';
import { changeOf, distribute, type Place, type Share } from './distribution.ts';
import type { PolicyNote } from './explanation.ts';
import { failCheck, type Check, type PolicyType } from './types.ts';

interface Kind extends Pick<PolicyType, 'name' | 'priority' | 'profileTypes'> {
  /** The property of the spec, and the key of the plan in the action's data. */
  readonly places: 'zones' | 'regions';
  readonly schema: Schema;
  /** Lists the names of the places that can be used now. */
  readonly usable: (context: Context) => Promise<string[]>;
  readonly placeOf: PlaceOf;
  /** Whether a profile names the place itself. A node that is created alone then goes there. */
  readonly isPlaced: (properties: Json) => boolean;
  /** The message if no place can be used. */
  readonly noneUsable: string;
  /** The message if a spec names places that cannot be used. */
  readonly missing: (names: string) => string;
}

/**
 * The places of a spec. If a name is listed twice, its first position and its last weight count.
 */
function placesIn(properties: Json, key: string): Place[] {
  const places = new Map<string, Place>();
  for (const place of properties[key] as Place[]) places.set(place.name, place);
  return [...places.values()];
}

const profileOf = async ({ context }: Check, id: string): Promise<Profile> =>
  (await store.profiles.find(context.db, { id }))!;

/** The arithmetic for one place in words. */
function shareNote(
  { name, weight, here, fair, limit, share, remaining }: Share,
  change: number,
): PolicyNote {
  const verb = change > 0 ? 'gets' : 'gives up';
  const cap = limit === Infinity ? '' : `, at most ${limit}`;
  const fairly = Math.round(fair * 100) / 100;
  return {
    text:
      `${name}: has ${here}, should have ${fairly} by its weight ${weight}${cap}; ` +
      `${verb} ${share} of ${remaining}`,
    values: {
      place: name,
      weight,
      current: here,
      fair,
      cap: limit === Infinity ? null : limit,
      share,
    },
  };
}

/** Plans where to create or remove nodes. */
async function plan(check: Check, kind: Kind): Promise<ActionData> {
  const { action, owner, context, properties, node } = check;
  const members = (await check.members()).filter(({ id }) => id !== node?.id);
  if (
    action.action === 'NODE_CREATE' &&
    kind.isPlaced(propertiesOf(await profileOf(check, node!.profileId)))
  )
    return check.data;
  const found = changeOf(check, check.data, members.length);
  if ('problem' in found) return failCheck(check.data, found.problem);
  const { change, data } = found;
  if (change === 0) return data;
  const usable = await kind.usable(owner);
  const places = placesIn(properties, kind.places).filter(({ name }) => usable.includes(name));
  check.notes.add(() => {
    const named = placesIn(properties, kind.places);
    const wanted = named.map(({ name, weight }) => `${name} (weight ${weight})`).join(', ');
    return {
      text: `the policy names ${wanted}; usable now: ${usable.join(', ') || 'none'}`,
      values: { usable },
    };
  });
  if (!places.length) return failCheck(data, kind.noneUsable);
  const current = new Map(places.map(({ name }) => [name, 0]));
  for (const member of members) {
    const place = await kind.placeOf(context, member, action);
    // Nodes in other places do not count.
    if (place !== undefined && current.has(place)) current.set(place, current.get(place)! + 1);
  }
  const planned = distribute(places, Object.fromEntries(current), change, (share) =>
    check.notes.add(() => shareNote(share, change)),
  );
  if (!planned) return failCheck(data, 'There is no feasible plan to handle all nodes.');
  return change > 0
    ? { ...data, creation: { ...data.creation, count: change, [kind.places]: planned } }
    : { ...data, deletion: { ...data.deletion, count: -change, [kind.places]: planned } };
}

/** Defines a placement policy. */
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
