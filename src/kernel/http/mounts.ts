// Finds the service and the region of a path.
import type { ServiceDefinition, Cloud, Region, Service } from '../model.ts';
import { centralRegionOf, isServedIn } from '../regions.ts';

/** A service in a region, and a path below it. */
export interface Mount {
  readonly region: Region;
  readonly service: Service;
  /** The part of the path before the service's own, such as `/RegionTwo/placement`. */
  readonly prefix: string;
  readonly path: string;
}

/** The service and the region of a path; undefined if no service is mounted there. */
export function mountAt(cloud: Cloud, path: string): Mount | undefined {
  const [, first = ''] = path.split('/', 2);
  const region = cloud.regions.get(first);
  const base = region ? `/${first}` : '';
  const rest = path.slice(base.length);
  const service = cloud.services.find(
    ({ definition }) =>
      (rest === definition.prefix || rest.startsWith(`${definition.prefix}/`)) &&
      isMounted(cloud, definition, region),
  );
  if (!service) return undefined;
  const { prefix } = service.definition;
  return {
    region: region ?? cloud.firstRegion,
    service,
    prefix: base + prefix,
    path: rest.slice(prefix.length),
  };
}

/** Whether a service is mounted below the name of a region, or without one. */
export function isMounted(
  cloud: Cloud,
  definition: ServiceDefinition,
  region: Region | undefined,
): boolean {
  if (definition.database === 'region') return isServedIn(definition, region ?? cloud.firstRegion);
  return !region && (definition.regions !== 'central' || centralRegionOf(cloud) !== undefined);
}
