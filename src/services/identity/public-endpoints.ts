// The public endpoints of the catalog, for services that call other services. A process reads them
// again only after the catalog has changed.
import { hasNote, isInDatabase } from '../../kernel/db/transaction.ts';
import type { Context } from '../../kernel/model.ts';
import { publicEndpoints } from './domain/catalog/endpoints.ts';
import type { PublicEndpoint } from './model.ts';

/** The endpoints as this process last read them, at a revision of the shared state. */
export interface CachedEndpoints {
  revision: number;
  endpoints: readonly PublicEndpoint[];
}

declare module '../../kernel/model.ts' {
  interface Cloud {
    readonly publicEndpoints: CachedEndpoints;
  }
}

/**
 * The enabled public endpoints of enabled services in all regions, in catalog order. Every change
 * of the catalog increments `authRevision`; a transaction that may have changed it reads the table.
 */
export async function allPublicEndpoints({
  cloud,
  db,
}: Context): Promise<readonly PublicEndpoint[]> {
  const { publicEndpoints: cached, central, sharedState } = cloud;
  const { authRevision: revision } = sharedState.cached;
  const isInCentral = db.isTransaction === true && isInDatabase(db, central);
  const mayHaveChanged = isInCentral && hasNote(db, 'has written a shared value');
  if (cached.revision === revision && !mayHaveChanged) return cached.endpoints;
  // The snapshot of a transaction may be older than the revision, so its result is not cached.
  if (isInCentral) return publicEndpoints(db);
  const endpoints = await publicEndpoints(central.db);
  Object.assign(cached, { revision, endpoints });
  return endpoints;
}
