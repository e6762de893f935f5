// The provider that a path is about.
import { badRequest, Fault, notFound } from '../../../kernel/fault.ts';
import { isUuidLike, normalUuid } from '../../../kernel/ids.ts';
import { concurrentUpdate, findProvider, type Provider } from '../store/resource-providers.ts';
import type { Call, Step } from '../../../kernel/model.ts';
import type { PlacementCall } from '../call.ts';
import type { PlacementRoute } from '../call.ts';

/** How the routes word a provider that is not there; upstream wraps its own message differently in most of them. */
export const missing = {
  plain: (uuid: string) => `No resource provider with uuid ${uuid} found`,
  twice: (uuid: string) => `No resource provider with uuid ${uuid} found: No resource provider with uuid ${uuid} found`,
  spaced: (uuid: string) => `No resource provider with uuid ${uuid} found : No resource provider with uuid ${uuid} found`,
  forDelete: (uuid: string) => `No resource provider with uuid ${uuid} found for delete`,
  quoted: (uuid: string) => `Resource provider '${uuid}' not found: No resource provider with uuid ${uuid} found`,
};

/** @throws 404 */
export async function providerOf(call: PlacementCall, word: (uuid: string) => string = missing.plain): Promise<Provider> {
  const uuid = call.params['uuid']!;
  const provider = await findProvider(call.db, uuid);
  if (!provider) throw notFound(word(uuid));
  return provider;
}

/** The UUID of the consumer that is written to, in its usual form. @throws 400 */
export function consumerOf({ params }: Pick<Call, 'params'>): string {
  const given = params['consumer_uuid']!;
  if (!isUuidLike(given)) throw badRequest(`Malformed consumer_uuid: ${given}`);
  return normalUuid(given);
}

/**
 * Where a body does not fit, most writes first say that the provider does not exist, or that the consumer's UUID is none. The extra look
 * is taken only when there is something to refuse. The routes that say `schemaFirst` are the other way round.
 */
export function subjectFirst(check: Step): Step {
  return async (call: Call) => {
    try {
      return await check(call);
    } catch (error) {
      if (!(error instanceof Fault) || error.status !== 400 || (call.route as PlacementRoute).schemaFirst) throw error;
      const { uuid, consumer_uuid: consumer } = call.params;
      if (uuid !== undefined && !(await findProvider(call.region.database.db, uuid))) throw notFound(missing.plain(uuid));
      if (consumer !== undefined) consumerOf(call);
      throw error;
    }
  };
}

/** For a client whose generation is not the provider's any more. */
export const generationChanged = (): Fault =>
  concurrentUpdate("Resource provider's generation already changed. Please update the generation and try again.");
