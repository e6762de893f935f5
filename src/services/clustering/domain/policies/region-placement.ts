// The policy senlin.policy.region_placement distributes the nodes of a cluster over regions by
// weight.
import { regionNames } from '../../clients/identity.ts';
import { regionOf } from '../nodes/location.ts';
import { regionOfProfile } from '../nodes/regions.ts';
import { integer, list, map, text } from '../specs/schema.ts';
import { placementPolicy } from './placement.ts';

const region = map('An region as a candidate.', {
  name: text('Name of a region.'),
  weight: integer('Weight of the region. The default is 100.', { initial: 100 }),
  cap: integer(
    'Maximum number of nodes in this region. The default is -1 which means no cap set.',
    { initial: -1 },
  ),
});

export const regionPlacement = placementPolicy({
  name: 'senlin.policy.region_placement',
  priority: 200,
  places: 'regions',
  schema: { regions: list('List of regions to choose from.', region) },
  usable: regionNames,
  // Upstream counts only the nodes that the policy has placed, and ignores older ones.
  placeOf: regionOf,
  isPlaced: (properties) => regionOfProfile(properties) !== undefined,
  noneUsable: 'No region is found usable.',
  missing: (names) => `The specified regions '${names}' could not be found.`,
});
