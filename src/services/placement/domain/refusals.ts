// Errors that several operations throw.
import { ApiError, conflict } from '../../../kernel/errors.ts';

/** An unknown resource class. Some routes reword it, as upstream's handlers do. */
export class UnknownClass extends ApiError {}
/** An inventory has allocations. Some routes reword it, as upstream's handlers do. */
export class InventoryInUse extends ApiError {}

/**
 * An error that upstream's middleware turns into a reply. The reply has the version header, but not
 * `vary`. Upstream: placement/handler.py PlacementHandler, and the middleware of
 * microversion_parse.
 */
export class MiddlewareError extends ApiError {}

export const noSuchObject = (message: string): ApiError => new MiddlewareError(404, message);

export const unknownClass = (name: string): ApiError =>
  new UnknownClass(400, `No such resource class ${name}.`);

export const inventoryInUse = (message: string): ApiError =>
  new InventoryInUse(409, message, { code: 'placement.inventory.inuse' });

/**
 * The client's generation of a provider or consumer is not the current one, or a concurrent request
 * has changed the provider.
 */
export const concurrentUpdate = (message: string): ApiError =>
  conflict(message, { code: 'placement.concurrent_update' });

/** The same conflict, with upstream's message for a provider's traits and aggregates. */
export const generationChanged = (): ApiError =>
  concurrentUpdate(
    "Resource provider's generation already changed. Please update the generation and try again.",
  );
