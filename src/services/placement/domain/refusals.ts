// Refusals that several nouns share. Routes put a sentence of their own before some of them: those
// have a `cause`.
import { badRequest, conflict, type ApiError } from '../../../kernel/errors.ts';

/** What a route can recognise a refusal by, to word it as upstream's handler does. */
export type RefusalCause = 'unknown_class' | 'inventory_in_use';

const caused = (cause: RefusalCause): { cause: RefusalCause } => ({ cause });

export const unknownClass = (name: string): ApiError =>
  badRequest(`No such resource class ${name}.`, caused('unknown_class'));

export const inventoryInUse = (message: string): ApiError =>
  conflict(message, { code: 'placement.inventory.inuse', ...caused('inventory_in_use') });

/**
 * The generation of a provider or a consumer is not the one that the client knows, or another
 * writer was faster.
 */
export const concurrentUpdate = (message: string): ApiError =>
  conflict(message, { code: 'placement.concurrent_update' });

/** The same in the words of the traits and the aggregates of a provider. */
export const generationChanged = (): ApiError =>
  concurrentUpdate(
    "Resource provider's generation already changed. Please update the generation and try again.",
  );
