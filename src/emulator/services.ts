// Looking up services by the names that the emulator's API uses.
import { badRequest } from '../kernel/errors.ts';
import type { Cloud, Service } from '../kernel/model.ts';

/**
 * The name of a service in fault rules and in the journal. A gateway uses the name of the service
 * that it fronts.
 */
export const serviceNameOf = ({ definition }: Service): string => definition.api ?? definition.name;

/** Finds a service that has a state and an API of its own. @throws 400 */
export function serviceNamed(cloud: Cloud, name: string): Service {
  const services = cloud.services.filter(
    ({ definition }) => definition.database !== 'none' && definition.api === undefined,
  );
  const found = services.find(({ definition }) => definition.name === name);
  if (found) return found;
  throw badRequest(
    `There is no service '${name}'. Services: ` +
      `${services.map(({ definition }) => definition.name).join(', ')}.`,
  );
}

/** The error for a request that names a region for a service that all regions share. */
export const sharedByRegions = (service: string) =>
  badRequest(`All regions share the service ${service}. Leave out region.`);
