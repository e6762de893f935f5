// Errors that several operations share.
import { ApiError, conflict } from '../../../kernel/errors.ts';

/** An error that some routes reword, as upstream's handlers do with the exception. */
export class UnknownClass extends ApiError {}
/** The same. */
export class InventoryInUse extends ApiError {}

/**
 * An error that upstream raises through its middleware instead of replying with it. Its reply has a
 * version, but no `vary`. Upstream: placement/handler.py PlacementHandler, and the middleware of
 * microversion_parse.
 */
export class MiddlewareError extends ApiError {}

export const noSuchObject = (message: string): ApiError => new MiddlewareError(404, message);

export const unknownClass = (name: string): ApiError =>
  new UnknownClass(400, `No such resource class ${name}.`);

export const inventoryInUse = (message: string): ApiError =>
  new InventoryInUse(409, message, { code: 'placement.inventory.inuse' });

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
