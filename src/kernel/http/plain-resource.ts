// The handlers of a plain resource: list, show, create, update and delete from one description.
import type { Reply } from '../model.ts';
import { created, noContent, ok } from './reply.ts';

export type OperationName = 'list' | 'show' | 'create' | 'update' | 'delete';

type Awaitable<T> = T | Promise<T>;

/**
 * Describes a resource whose five operations differ from those of other resources only in the
 * functions that they call. `C` is the service's kind of call, `T` the record, `F` what create and
 * update read from the request. Each operation runs its functions in this order:
 *
 * - list: `authorize`, `list`, `listBody`
 * - show: `authorize`, `find`, `body`
 * - create: `authorize`, `fields`, `create`, `body`
 * - update: `authorize`, `fields`, `find`, `update`, `body`
 * - delete: `authorize`, `find`, `remove`
 *
 * The order decides which error a request gets that is wrong in several ways. Write a handler out
 * if upstream has another order.
 *
 * @example
 * export const { list, show, create, update, remove } = plainHandlers<Call, Endpoint, Fields>({
 *   authorize: (call, operation) => authorize(call, rules[operation], call.params),
 *   list: ({ db }) => listEndpoints(db),
 *   find: (call) => getEndpoint(call, call.params['endpoint_id']!),
 *   fields: (call) => bodyOf(call, 'endpoint'),
 *   create: createEndpoint,
 *   update: updateEndpoint,
 *   remove: deleteEndpoint,
 *   ...enveloped('endpoint', 'endpoints', endpointView),
 * });
 */
export interface PlainResource<C, T, F> {
  /** Enforces policy rules that depend on the request alone. @throws 403 */
  readonly authorize?: (call: C, operation: OperationName) => void;
  /** Reads the records that the query asks for and the caller may see. */
  readonly list: (call: C) => Awaitable<readonly T[]>;
  /**
   * Finds the record that the path names, and enforces the rules that depend on it.
   * @throws 403, 404
   */
  readonly find: (call: C, operation: 'show' | 'update' | 'delete') => Awaitable<T>;
  /** Reads and checks the request's body. @throws 400 */
  readonly fields: (call: C, operation: 'create' | 'update') => Awaitable<F>;
  readonly create: (call: C, fields: F) => Awaitable<T>;
  readonly update: (call: C, record: T, fields: F) => Awaitable<T>;
  readonly remove: (call: C, record: T) => Awaitable<unknown>;
  /** The body of a reply with one resource. */
  readonly body: (call: C, record: T, operation: 'show' | 'create' | 'update') => Awaitable<object>;
  /** The body of a list. */
  readonly listBody: (call: C, records: readonly T[]) => Awaitable<object>;
  /** The reply to a create, 201 by default. */
  readonly created?: (body: object) => Reply;
  /** The reply to a delete, 204 by default. */
  readonly deleted?: () => Reply;
}

type Parts<C, T, F, Names extends keyof PlainResource<C, T, F>> = Pick<
  PlainResource<C, T, F>,
  Names | 'authorize' | 'created' | 'deleted'
>;

/** The handler of one operation, for a service's own kind of call. */
export type PlainHandler<C> = (call: C) => Promise<Reply>;

export interface PlainHandlers<C> {
  readonly list: PlainHandler<C>;
  readonly show: PlainHandler<C>;
  readonly create: PlainHandler<C>;
  readonly update: PlainHandler<C>;
  readonly remove: PlainHandler<C>;
}

/**
 * The handlers of all five operations. A resource that lacks an operation, or has a special one,
 * takes the others from the functions below.
 */
export const plainHandlers = <C, T, F>(resource: PlainResource<C, T, F>): PlainHandlers<C> => ({
  list: listHandler(resource),
  show: showHandler(resource),
  create: createHandler(resource),
  update: updateHandler(resource),
  remove: removeHandler(resource),
});

export const listHandler =
  <C, T>(resource: Parts<C, T, never, 'list' | 'listBody'>): PlainHandler<C> =>
  async (call) => {
    resource.authorize?.(call, 'list');
    return ok(await resource.listBody(call, await resource.list(call)));
  };

export const showHandler =
  <C, T>(resource: Parts<C, T, never, 'find' | 'body'>): PlainHandler<C> =>
  async (call) => {
    resource.authorize?.(call, 'show');
    return ok(await resource.body(call, await resource.find(call, 'show'), 'show'));
  };

export const createHandler =
  <C, T, F>(resource: Parts<C, T, F, 'fields' | 'create' | 'body'>): PlainHandler<C> =>
  async (call) => {
    resource.authorize?.(call, 'create');
    const record = await resource.create(call, await resource.fields(call, 'create'));
    const body = await resource.body(call, record, 'create');
    return resource.created ? resource.created(body) : created(body);
  };

export const updateHandler =
  <C, T, F>(resource: Parts<C, T, F, 'fields' | 'find' | 'update' | 'body'>): PlainHandler<C> =>
  async (call) => {
    resource.authorize?.(call, 'update');
    const fields = await resource.fields(call, 'update');
    const record = await resource.update(call, await resource.find(call, 'update'), fields);
    return ok(await resource.body(call, record, 'update'));
  };

export const removeHandler =
  <C, T>(resource: Parts<C, T, never, 'find' | 'remove'>): PlainHandler<C> =>
  async (call) => {
    resource.authorize?.(call, 'delete');
    await resource.remove(call, await resource.find(call, 'delete'));
    return resource.deleted ? resource.deleted() : noContent();
  };

/** Bodies with views under the resource's name: `{ "pod": {} }` and `{ "pods": [] }`. */
export const enveloped = <C, T>(
  noun: string,
  collection: string,
  view: (call: C, record: T) => object,
): Pick<PlainResource<C, T, never>, 'body' | 'listBody'> => ({
  body: (call, record) => ({ [noun]: view(call, record) }),
  listBody: (call, records) => ({ [collection]: records.map((record) => view(call, record)) }),
});
