// The policy senlin.policy.zone_placement distributes the nodes of a cluster over availability
// zones by weight.
import { availableZones } from '../../clients/compute.ts';
import { zoneOf } from '../nodes/location.ts';
import { integer, list, map, text } from '../specs/schema.ts';
import { placementPolicy } from './placement.ts';

const zone = map('An availability zone as candidate.', {
  name: text('Name of an availability zone.'),
  weight: integer('Weight of the availability zone (default is 100).', { initial: 100 }),
});

export const zonePlacement = placementPolicy({
  name: 'senlin.policy.zone_placement',
  priority: 300,
  profileTypes: ['os.nova.server-1.0'],
  places: 'zones',
  schema: { zones: list('List of availability zones to choose from.', zone) },
  usable: availableZones,
  placeOf: zoneOf,
  isPlaced: (properties) => Boolean(properties['availability_zone']),
  noneUsable: 'No availability zone found available.',
  missing: (names) => `The specified name '${names}' could not be found.`,
});
