// The provider or the consumer that a path names.
import { badRequest, notFound } from '../../../kernel/errors.ts';
import { isUuidLike, normalUuid } from '../../../kernel/ids.ts';
import type { Provider, ProviderStock } from '../model.ts';
import { findStock } from '../store/inventories.ts';
import { findProvider, type StockedProvider } from '../store/resource-providers.ts';
import { stockedProvider } from '../domain/resource-providers.ts';
import { noSuchObject } from '../domain/refusals.ts';
import type { Call } from '../../../kernel/model.ts';
import type { PlacementCall } from '../call.ts';

/**
 * What the routes say where the provider does not exist: upstream's handlers wrap the same message
 * in different ways.
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

/** The provider in the path. @throws 404 */
export async function providerOf(
  call: PlacementCall,
  message: (uuid: string) => string = missing.plain,
): Promise<Provider> {
  const uuid = call.params['uuid']!;
  const provider = await findProvider(call.db, uuid);
  if (!provider)
    throw message === missing.plain ? noSuchObject(message(uuid)) : notFound(message(uuid));
  return provider;
}

/** The provider in the path, with its inventories. @throws 404 */
export const stockedOf = ({ db, params }: PlacementCall): Promise<StockedProvider> =>
  stockedProvider(db, params['uuid']!);

/** What the provider in the path has. @throws 404 */
export async function stockOf(
  call: PlacementCall,
  message: (uuid: string) => string,
): Promise<ProviderStock> {
  const uuid = call.params['uuid']!;
  const stock = await findStock(call.db, uuid);
  if (!stock) throw notFound(message(uuid));
  return stock;
}

/** The UUID of the consumer in the path, in lower case with dashes. @throws 400 */
export function consumerOf({ params }: Pick<Call, 'params'>): string {
  const uuid = params['consumer_uuid']!;
  if (!isUuidLike(uuid)) throw badRequest(`Malformed consumer_uuid: ${uuid}`);
  return normalUuid(uuid);
}
