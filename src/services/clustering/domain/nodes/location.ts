// The region and the availability zone of a node.
import type { Context } from '../../../../kernel/model.ts';
import * as store from '../../store/index.ts';
import { actingOn, type Requester } from '../delegation.ts';
import { propertiesOf, typeOfProfile } from '../profiles/index.ts';
import type { Json, Node } from '../../model.ts';
import { regionOfProfile } from './regions.ts';

/**
 * The region of a node's physical resource: the one that policies have chosen, else the one that
 * the profile names, else the cluster's.
 */
export const regionFor = (
  { region }: Context,
  { data }: Pick<Node, 'data'>,
  properties: Json,
): string => data.placement?.region_name ?? regionOfProfile(properties) ?? region.name;

/**
 * Finds the place of a node: its region or its zone.
 * @param requester for whom Compute is asked
 * @returns undefined if it has none
 */
export type PlaceOf = (
  context: Context,
  node: Node,
  requester: Requester,
) => Promise<string | undefined>;

export async function regionOf(context: Context, node: Node): Promise<string> {
  const profile = (await store.profiles.find(context.db, { id: node.profileId }))!;
  return regionFor(context, node, propertiesOf(profile));
}

/**
 * Finds the zone in the data of the node, or asks Compute. The data always have the zone if the
 * node is in another region.
 */
export const zoneOf: PlaceOf = async (context, node, requester) => {
  if (node.data.placement?.zone || !node.physicalId) return node.data.placement?.zone;
  const profile = (await store.profiles.find(context.db, { id: node.profileId }))!;
  const properties = propertiesOf(profile);
  if (regionFor(context, node, properties) !== context.region.name) return undefined;
  return typeOfProfile(profile).driver.zone?.({
    context: await actingOn(context, node, requester),
    node,
    properties,
    memory: {},
  });
};
