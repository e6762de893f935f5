// The view of a flavor.
import type { Flavor, FlavorDetails } from '../model.ts';
import { plainView, type View } from './view.ts';

export const flavorView = (flavor: Flavor, details: FlavorDetails): View => ({
  ...plainView(flavor),
  service_profiles: (details.profiles.get(flavor.id) ?? []).map((pair) => pair.service_profile_id),
});
