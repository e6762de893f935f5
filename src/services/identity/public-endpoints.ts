// The public endpoints of the catalog, for services that call other services.
import type { Context } from '../../kernel/model.ts';
import { readCached } from './cached.ts';
import { publicEndpoints } from './domain/catalog/endpoints.ts';
import type { PublicEndpoint } from './model.ts';

/** The enabled public endpoints of enabled services in all regions, in catalog order. */
export const allPublicEndpoints = (context: Context): Promise<readonly PublicEndpoint[]> =>
  readCached(context, context.cloud.publicEndpoints, '', publicEndpoints);
