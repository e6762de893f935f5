// What Tricircle asks of Identity: where the services of a pod are, and a token for those that are
// elsewhere.
import type { Context } from '../../../kernel/model.ts';
import { publicEndpointsOf, serviceToken, type PublicEndpoint } from '../../identity/index.ts';

export type { PublicEndpoint } from '../../identity/index.ts';

/** The types under which clouds list Cinder. */
const volumeTypes = ['volumev3', 'block-storage', 'block-store'];

const isOfType = (type: string, asked: string): boolean =>
  type === asked || (volumeTypes.includes(asked) && volumeTypes.includes(type));

/** The public endpoint of a service in a region; undefined where the catalog has none. */
export async function endpointIn(
  context: Context,
  region: string,
  serviceType: string,
): Promise<PublicEndpoint | undefined> {
  const endpoints = await publicEndpointsOf(context, [region]);
  return (
    endpoints.find(({ type }) => type === serviceType) ??
    endpoints.find(({ type }) => isOfType(type, serviceType))
  );
}

/** Those of the regions in which the catalog has a Nova or a Cinder. */
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

/** A token of Tricircle's own, with the role admin. */
export const ownToken = (context: Context): Promise<string> =>
  context.cloud.config.auth === 'noauth2'
    ? Promise.resolve('admin')
    : serviceToken(context, 'tricircle');
