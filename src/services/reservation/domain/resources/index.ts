// The types of resources that can be reserved, by name.
import { badRequest } from '../../../../kernel/errors.ts';
import { flavorType, floatingIpType, hostType, instanceType } from '../../model.ts';
import { flavorReservations } from './flavors.ts';
import { floatingIpReservations } from './floating-ips.ts';
import { hostReservations } from './hosts.ts';
import { instanceReservations } from './instances.ts';
import type { ResourceType } from './types.ts';

const types: Readonly<Record<string, unknown>> = {
  [hostType]: hostReservations,
  [instanceType]: instanceReservations,
  [flavorType]: flavorReservations,
  [floatingIpType]: floatingIpReservations,
};

/** Finds a type of resource. @throws 400 for an unknown type, for which upstream returns a 500 */
export function resourceTypeOf(name: string): ResourceType {
  if (!Object.hasOwn(types, name))
    throw badRequest(`The ${name.slice(0, 66)} resource type is not supported`);
  return types[name] as ResourceType;
}
