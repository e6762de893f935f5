// The client of Identity: the endpoints of pods' services, and a token for those of other clouds.
import type { Context } from '../../../kernel/model.ts';
import { publicEndpointsOf, serviceToken, type PublicEndpoint } from '../../identity/index.ts';

export { limitCatalogs } from '../../identity/index.ts';
export type { PublicEndpoint } from '../../identity/index.ts';

/** The types of Cinder in catalogs. */
const volumeTypes = ['volumev3', 'block-storage', 'block-store'];

const isSameService = (type: string, requested: string): boolean =>
  type === requested || (volumeTypes.includes(requested) && volumeTypes.includes(type));

/** Finds the public endpoint of a service in a region. */
export async function findEndpoint(
  context: Context,
  region: string,
  serviceType: string,
): Promise<PublicEndpoint | undefined> {
  const endpoints = await publicEndpointsOf(context, [region]);
  return (
    endpoints.find(({ type }) => type === serviceType) ??
    endpoints.find(({ type }) => isSameService(type, serviceType))
  );
}

/** Selects the regions in which the catalog has Nova or Cinder. */
export async function provisioningRegions(
  context: Context,
  regions: readonly string[],
): Promise<ReadonlySet<string>> {
  const endpoints = regions.length ? await publicEndpointsOf(context, regions) : [];
  return new Set(
    endpoints
      .filter(({ type }) => type === 'compute' || volumeTypes.includes(type))
      .map(({ regionId }) => regionId),
  );
}

/** Creates a token of Tricircle's user, which has the role admin. */
export const createToken = (context: Context): Promise<string> =>
  context.cloud.config.auth === 'noauth2'
    ? Promise.resolve('admin')
    : serviceToken(context, 'tricircle');
