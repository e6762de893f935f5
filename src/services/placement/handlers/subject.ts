// Finds the provider or consumer in the path of a request.
import { badRequest, notFound } from '../../../kernel/errors.ts';
import { isUuidLike, normalUuid } from '../../../kernel/ids.ts';
import type { Provider, ProviderInventories, ProviderWithInventories } from '../model.ts';
import { findProviderInventories } from '../store/inventories.ts';
import { findProvider } from '../store/resource-providers.ts';
import { existingProviderWithInventories } from '../domain/resource-providers.ts';
import { noSuchObject } from '../domain/refusals.ts';
import type { Call } from '../../../kernel/model.ts';
import type { PlacementCall } from '../call.ts';

/**
 * The messages of the routes for an unknown provider. Upstream's handlers wrap the same message in
 * different ways.
 */
export const missing = {
  plain: (uuid: string) => `No resource provider with uuid ${uuid} found`,
  twice: (uuid: string) =>
    `No resource provider with uuid ${uuid} found: No resource provider with uuid ${uuid} found`,
  spaced: (uuid: string) =>
    `No resource provider with uuid ${uuid} found : No resource provider with uuid ${uuid} found`,
  quoted: (uuid: string) =>
    `Resource provider '${uuid}' not found: No resource provider with uuid ${uuid} found`,
};

/** Finds the provider in the path. @throws 404 */
export async function providerInPath(
  call: PlacementCall,
  message: (uuid: string) => string = missing.plain,
): Promise<Provider> {
  const uuid = call.params['uuid']!;
  const provider = await findProvider(call.db, uuid);
  if (!provider)
    throw message === missing.plain ? noSuchObject(message(uuid)) : notFound(message(uuid));
  return provider;
}

/** Finds the provider in the path and its inventories. @throws 404 */
export const providerWithInventoriesInPath = ({
  db,
  params,
}: PlacementCall): Promise<ProviderWithInventories> =>
  existingProviderWithInventories(db, params['uuid']!);

/** Finds the generation and inventories of the provider in the path. @throws 404 */
export async function inventoriesInPath(
  call: PlacementCall,
  message: (uuid: string) => string,
): Promise<ProviderInventories> {
  const uuid = call.params['uuid']!;
  const found = await findProviderInventories(call.db, uuid);
  if (!found) throw notFound(message(uuid));
  return found;
}

/** Returns the consumer's UUID in the path, in lower case with dashes. @throws 400 */
export function consumerInPath({ params }: Pick<Call, 'params'>): string {
  const uuid = params['consumer_uuid']!;
  if (!isUuidLike(uuid)) throw badRequest(`Malformed consumer_uuid: ${uuid}`);
  return normalUuid(uuid);
}
