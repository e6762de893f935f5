// Views of flavors.
import type { ComputeCall } from '../call.ts';
import { linksTo } from './links.ts';
import type { Flavor } from '../model.ts';

/** A flavor in a list without details. */
export const flavorItem = (call: ComputeCall, flavor: Flavor): object => ({
  id: flavor.flavorid,
  name: flavor.name,
  links: linksTo(call, `flavors/${flavor.flavorid}`),
  ...call.version.since('2.55', { description: flavor.description }),
});

/** A flavor with details; `showsSpecs` is whether the caller may see extra specs. */
export function flavorView(call: ComputeCall, flavor: Flavor, showsSpecs: boolean): object {
  const { version } = call;
  return {
    ...flavorItem(call, flavor),
    ram: flavor.memoryMb,
    disk: flavor.rootGb,
    vcpus: flavor.vcpus,
    swap: flavor.swap || (version.has('2.75') ? 0 : ''),
    'OS-FLV-EXT-DATA:ephemeral': flavor.ephemeralGb,
    'os-flavor-access:is_public': flavor.isPublic,
    ...version.until('2.102', {
      'OS-FLV-DISABLED:disabled': false,
      rxtx_factor: flavor.rxtxFactor,
    }),
    ...(showsSpecs ? version.since('2.61', { extra_specs: flavor.extraSpecs }) : {}),
  };
}
