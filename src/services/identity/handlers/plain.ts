// The handlers of plain resources, with the policy rules, bodies and lists that Keystone gives all
// of its resources.
import {
  plainHandlers,
  type OperationName,
  type PlainHandlers,
  type PlainResource,
} from '../../../kernel/http/plain-resource.ts';
import type { Db } from '../../../kernel/db/database.ts';
import type { Call, Context } from '../../../kernel/model.ts';
import { normalized, type Fields } from '../domain/attributes.ts';
import { found, type Noun } from '../domain/refusals.ts';
import type { View } from '../views/links.ts';
import { listBody, listLimit } from './lists.ts';
import { bodyOf, enforce } from './requests.ts';

/** The name, the collection and the view of a resource. */
export interface Shape<T> {
  readonly noun: Noun;
  readonly collection: string;
  /** The attributes that lists can be filtered by. */
  readonly filters: readonly string[];
  readonly view: (call: Call, record: T) => View;
}

/** The policy rule of an operation on one resource, such as `get_user`. */
export const ruleOf = (operation: OperationName, noun: Noun | 'consumer'): string =>
  `${operation === 'show' ? 'get' : operation}_${noun}`;

/** Reads the body of a request and writes the bodies of replies. */
export const bodiesOf = <T>({
  noun,
  collection,
  filters,
  view,
}: Shape<T>): Pick<PlainResource<Call, T, Fields>, 'fields' | 'body' | 'listBody'> => ({
  fields: (call, operation) =>
    operation === 'create' ? normalized(bodyOf(call, noun)) : bodyOf(call, noun),
  body: (call, record) => ({ [noun]: view(call, record) }),
  listBody: async (call, records) =>
    listBody(
      call,
      collection,
      records.map((record) => view(call, record)),
      filters,
      await listLimit(call, collection),
    ),
});

/** Policy and lookups of a resource whose rules depend on the request alone. */
export const lookupsOf = <T>({
  noun,
  collection,
  list,
  find,
}: Pick<Shape<T>, 'noun' | 'collection'> & {
  readonly list: (db: Db) => Promise<readonly T[]>;
  readonly find: (db: Db, id: string) => Promise<T | undefined>;
}): Required<Pick<PlainResource<Call, T, Fields>, 'authorize' | 'list' | 'find'>> => ({
  authorize: (call, operation) =>
    enforce(call, operation === 'list' ? `list_${collection}` : ruleOf(operation, noun)),
  list: ({ db }) => list(db),
  find: async ({ db, params }) => {
    const id = params[`${noun}_id`]!;
    return found(await find(db, id), noun, id);
  },
});

/** The handlers of a resource whose policy rules depend on the request alone. */
export const handlersOf = <T>(
  resource: Shape<T> &
    Parameters<typeof lookupsOf<T>>[0] & {
      readonly create: (context: Context, fields: Fields) => Promise<T>;
      readonly update: (context: Context, record: T, fields: Fields) => Promise<T>;
      readonly remove: (context: Context, record: T) => Promise<void>;
    },
): PlainHandlers<Call> => {
  const { create, update, remove } = resource;
  return plainHandlers<Call, T, Fields>({
    ...lookupsOf(resource),
    ...bodiesOf(resource),
    create,
    update,
    remove,
  });
};
