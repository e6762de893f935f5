// Where nodes stand: their region and their availability zone.
import type { Context } from '../../../../kernel/model.ts';
import * as store from '../../store/index.ts';
import { actingOn } from '../delegation.ts';
import { propertiesOf, typeOfProfile } from '../profiles/index.ts';
import type { Json, Node } from '../../model.ts';
import { regionOfProfile } from './regions.ts';

/**
 * The region of what a node stands for: as it was planned, as its profile says, else that of its
 * cluster.
 */
export const regionFor = (
  { region }: Context,
  { data }: Pick<Node, 'data'>,
  properties: Json,
): string => data.placement?.region_name ?? regionOfProfile(properties) ?? region.name;

/**
 * A place that nodes are spread over: it says where one stands, or undefined where it stands
 * nowhere.
 */
export type PlaceOf = (context: Context, node: Node) => Promise<string | undefined>;

export const regionOf: PlaceOf = async (context, node) => {
  const profile = (await store.profiles.find(context.db, { id: node.profileId }))!;
  return regionFor(context, node, propertiesOf(profile));
};

/**
 * By the data of the node, else as Compute says. Of what stands in another region the data always
 * say it.
 */
export const zoneOf: PlaceOf = async (context, node) => {
  if (node.data.placement?.zone || !node.physicalId) return node.data.placement?.zone;
  const profile = (await store.profiles.find(context.db, { id: node.profileId }))!;
  const properties = propertiesOf(profile);
  if (regionFor(context, node, properties) !== context.region.name) return undefined;
  return typeOfProfile(profile).driver.zone?.({
    context: await actingOn(context, node),
    node,
    properties,
    memory: {},
  });
};
