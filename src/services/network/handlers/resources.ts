// The handlers that every resource has, from one description of the resource. Upstream:
// neutron/pecan_wsgi.
import { created, ok } from '../../../kernel/http/reply.ts';
import {
  removeHandler,
  showHandler,
  updateHandler,
  type PlainHandler,
  type PlainHandlers,
  type PlainResource,
} from '../../../kernel/http/plain-resource.ts';
import { may } from '../../../kernel/http/steps.ts';
import type { Target } from '../../../kernel/oslo/policy.ts';
import type { Db } from '../../../kernel/db/database.ts';
import type { Condition } from '../../../kernel/db/listing.ts';
import type { Call, Reply, Context } from '../../../kernel/model.ts';
import type { AttributeMap, Fields } from '../domain/attributes/definitions.ts';
import { preparePost, preparePut } from '../domain/attributes/bodies.ts';
import { checkQuotas } from '../domain/quotas.ts';
import { networkSettings, type NetworkSettings } from '../domain/settings.ts';
import type { Standard } from '../model.ts';
import { visibleTo, type Visibility } from '../domain/visibility.ts';
import type { View } from '../views/view.ts';
import { filtersOf, linksOf, pageOf, sortsOf, requestedFields } from './listings.ts';
import { checkRevision, enforce, hasRule, refuseBody } from './requests.ts';
import type { ResourceTable } from '../store/resource-table.ts';
import { sharedWith } from '../store/sharing.ts';

/**
 * Describes a resource to the handlers. Each description is in the handlers file of its resource,
 * beside the handlers that are made from it.
 */
export interface Resource<T extends Standard> {
  /** The names of the resource and its attributes, and how bodies and lists may use each. */
  readonly map: AttributeMap;
  readonly table: ResourceTable<T>;
  /** Which resources a project sees. Policy rules restrict them further. */
  readonly visibility: Visibility;
  /** Whether a list with an unknown marker starts at the beginning. Otherwise it is 404. */
  readonly unknownMarkers?: 'ignored';
  /** Restricts lists to the resources below the path. */
  readonly within?: Condition;
  /** Whether policies share it, so that it has the attribute `shared`. */
  readonly sharing?: true;
  /** Finds a resource that the actor sees. @throws 404 */
  readonly get: (context: Context, id: string) => Promise<T>;
  /**
   * What policy rules see besides the resource itself: its network or security group, one target
   * for each of the resources. Before it is created, a resource has the fields of its body.
   * @throws 404 for an unknown parent, if `mustExist`
   */
  readonly parents?: (
    context: Context,
    resources: readonly Fields[],
    mustExist: boolean,
  ) => Promise<Target[]>;
  /** Creates the resources of one request, all or none. */
  readonly create: (
    context: Context,
    items: readonly Fields[],
    settings: NetworkSettings,
  ) => Promise<T[]>;
  readonly delete: (context: Context, record: T) => Promise<void>;
  /** The views of records, in the same order; `shown` makes it from a loader and a view. */
  readonly views: (db: Db, records: readonly T[]) => Promise<View[]>;
  /** Makes the views of records that the request has created; by default, `views` does. */
  readonly viewsOfNew?: (db: Db, records: readonly T[]) => Promise<View[]>;
  /** Runs before a list is read. */
  readonly beforeList?: (call: Call) => Promise<void>;
}

/** A resource that can be updated: all but the rules of security groups. */
export interface UpdatableResource<T extends Standard> extends Resource<T> {
  readonly update: (context: Context, record: T, fields: Fields) => Promise<T>;
}

/** A record, and what policy rules see of it once they have been evaluated. */
interface Found<T> {
  readonly record: T;
  readonly target?: Target;
}

/** The handlers of a resource that can be updated. */
export function resourceHandlers<T extends Standard>(
  resource: UpdatableResource<T>,
): PlainHandlers<Call> {
  const plain = describe(resource);
  const update = updateHandler<Call, Found<T>, Fields>({
    ...plain,
    fields: async ({ db, actor, body }) =>
      preparePut(resource.map, actor, body, await networkSettings.load(db)),
    update: async (call, { record }, fields) => {
      const name = nounOf(resource.map);
      const requested = [{ ...record, ...fields }];
      const parents = await resource.parents?.(call, requested, false);
      const [target] = await targetsOf(call, resource, requested, parents);
      const rules = rulesFor(`update_${name}`, resource.map, Object.entries(fields));
      enforce(call, rules, targetOfWrite(resource.map, target!), `get_${name}`);
      checkRevision(call, record);
      const updated = await resource.update(call, record, fields);
      const [shown] = await targetsOf(call, resource, [updated], parents);
      return { record: updated, target: shown! };
    },
  });
  return { ...fixedResourceHandlers(resource), update };
}

/** The handlers of a resource that cannot be updated. */
export function fixedResourceHandlers<T extends Standard>(
  resource: Resource<T>,
): Omit<PlainHandlers<Call>, 'update'> {
  const plain = describe(resource);
  return {
    list: (call) => list(call, resource),
    show: showHandler(plain),
    create: createHandler(resource),
    remove: removeHandler(plain),
  };
}

/** What the kernel's handlers need of a resource. */
const describe = <T extends Standard>(
  resource: Resource<T>,
): Pick<PlainResource<Call, Found<T>, never>, 'find' | 'body' | 'remove'> => ({
  find: async (call, operation) => {
    if (operation === 'update') return { record: await findRecord(call, resource) };
    if (operation === 'delete') refuseBody(call);
    const found = await findTarget(call, resource);
    const name = nounOf(resource.map);
    if (operation === 'show') enforce(call, [`get_${name}`], found.target, `get_${name}`);
    else
      enforce(call, [`delete_${name}`], targetOfWrite(resource.map, found.target), `get_${name}`);
    return found;
  },
  body: async (call, found, operation) => {
    const fields = operation === 'show' ? requestedFields(call) : undefined;
    const [view] = await viewsFor(call, resource, [found], fields);
    return { [resource.map.resource]: view };
  },
  remove: async (call, { record }) => {
    checkRevision(call, record);
    await resource.delete(call, record);
  },
});

/** The noun in the policy rules of a resource. */
const nounOf = ({ noun, resource }: AttributeMap): string => noun ?? resource;

/** Loads the details that the views of records need, in one pass, and makes the views. */
export const viewsWith =
  <T, D>(
    load: (db: Db, records: readonly T[]) => Promise<D>,
    view: (record: T, details: D) => View,
  ) =>
  async (db: Db, records: readonly T[]): Promise<View[]> => {
    const details = await load(db, records);
    return records.map((record) => view(record, details));
  };

/** Creates the resources of a request sequentially, so that each sees those before it. */
export const sequentially =
  <T>(create: (context: Context, fields: Fields) => Promise<T>) =>
  async (context: Context, items: readonly Fields[]): Promise<T[]> => {
    const records: T[] = [];
    for (const fields of items) records.push(await create(context, fields));
    return records;
  };

const asFields = (record: object): Fields => ({ ...record });

/**
 * What policy rules see of resources: their attributes, and the properties of their parents.
 * @param known what they see of the parents, if that has been read: no request changes it
 */
async function targetsOf<T extends Standard>(
  context: Context,
  { parents, sharing }: Resource<T>,
  resources: readonly object[],
  known?: readonly Target[],
): Promise<Target[]> {
  const fields = resources.map(asFields);
  const parentTargets = known ?? (await parents?.(context, fields, false));
  const shared = sharing && (await sharedWithActor(context, fields));
  return fields.map((own, index) => ({
    ...own,
    tenant_id: own['project_id'],
    ...(shared && own['id'] !== undefined && { shared: shared.has(own['id'] as string) }),
    ...parentTargets?.[index],
  }));
}

/** Which resources policies share with the actor's project. Those of a POST have no id yet. */
const sharedWithActor = (
  { db, actor }: Context,
  resources: readonly Fields[],
): Promise<Set<string>> =>
  sharedWith(
    db,
    actor.projectId ?? '',
    resources.flatMap(({ id }) => (id === undefined ? [] : [id as string])),
  );

/**
 * What policy rules see of a resource that a request writes. Upstream loads only the attributes
 * that rules need, and the attribute map of address groups does not mark `shared` as one. So a
 * project that writes to another project's shared group gets 404 instead of 403.
 */
export const targetOfWrite = ({ attributes }: AttributeMap, target: Target): Target =>
  'shared' in attributes ? target : { ...target, shared: undefined };

const findRecord = <T extends Standard>(call: Call, { get }: Resource<T>): Promise<T> =>
  get(call, call.params['id']!);

/** The resource of the path, with what policy rules see of it. @throws 404 */
export async function findTarget<T extends Standard>(
  call: Call,
  resource: Resource<T>,
): Promise<Required<Found<T>>> {
  const record = await findRecord(call, resource);
  const [target] = await targetsOf(call, resource, [record]);
  return { record, target: target! };
}

/**
 * The rules for sending fields: that of the operation, and those of the attributes that have rules
 * of their own.
 */
function rulesFor(
  action: string,
  { attributes }: AttributeMap,
  sent: readonly (readonly [name: string, value: unknown])[],
): string[] {
  const rules = [action];
  for (const [name, value] of sent) {
    if (!attributes[name]?.policy || value === undefined) continue;
    rules.push(`${action}:${name}`);
    for (const part of [value].flat() as unknown[]) {
      if (typeof part === 'object' && part !== null)
        for (const key of Object.keys(part)) rules.push(`${action}:${name}:${key}`);
    }
  }
  return [...new Set(rules)];
}

/**
 * The views of records, without the attributes that rules hide from the caller, and reduced to the
 * requested fields.
 */
async function viewsFor<T extends Standard>(
  call: Call,
  resource: Resource<T>,
  found: readonly Found<T>[],
  fields?: readonly string[],
): Promise<View[]> {
  const { map } = resource;
  const records = found.map(({ record }) => record);
  const targets = found.every(hasTarget)
    ? found.map(({ target }) => target)
    : await targetsOf(call, resource, records);
  const names = Object.entries(map.attributes).flatMap(([name, { visible = true }]) =>
    visible && (!fields || fields.includes(name)) ? [name] : [],
  );
  const restricted = new Set(names.filter((name) => hasRule(call, `get_${nounOf(map)}:${name}`)));
  const isVisible = (name: string, target: Target): boolean =>
    !restricted.has(name) || may(call, `get_${nounOf(map)}:${name}`, target);
  const isSparse = (name: string): boolean => map.attributes[name]!.sparse === true;
  return (await resource.views(call.db, records)).map((view, index) => {
    const target = targets[index]!;
    const shown: View = resource.sharing ? { ...view, shared: target['shared'] } : view;
    return Object.fromEntries(
      names
        .filter((name) => isVisible(name, target) && !(isSparse(name) && !(name in shown)))
        .map((name) => [name, shown[name] ?? null]),
    );
  });
}

const hasTarget = <T>(found: Found<T>): found is Required<Found<T>> => found.target !== undefined;

/**
 * Lists the page of records that the query asks for, without those that policy rules hide. They are
 * evaluated after the page has been read, and the links are made from the records that remain: a
 * page with a hidden record counts as the last one. Upstream does the same: the `after` of
 * PolicyHook (neutron/pecan_wsgi/hooks/policy_enforcement.py) runs before that of
 * QueryParametersHook (query_parameters.py), which hands the list on to get_pagination_links
 * (neutron/api/api_common.py).
 */
async function list<T extends Standard>(call: Call, resource: Resource<T>): Promise<Reply> {
  const { map, table } = resource;
  const filters = filtersOf(call, map, table);
  const sort = sortsOf(call, map, table);
  const page = await pageOf(call);
  await resource.beforeList?.(call);
  const after = await markerOf(call, resource, page.marker);
  const withinPath = resource.within ? [resource.within] : [];
  const records = await table.list(call.db, {
    conditions: [...visibleTo(call, resource.visibility), ...withinPath, ...filters],
    sort,
    limit: page.limit,
    after,
    reverse: page.reverse,
  });
  const targets = await targetsOf(call, resource, records);
  const found = records
    .map((record, index) => ({ record, target: targets[index]! }))
    .filter(({ target }) => may(call, `get_${nounOf(map)}`, target));
  const views = await viewsFor(call, resource, found, requestedFields(call));
  const links = linksOf(
    call,
    page,
    found.map(({ record }) => record),
  );
  const { collection } = map;
  return ok({ [collection]: views, ...(links.length ? { [`${collection}_links`]: links } : {}) });
}

/** The record after which a page starts. @throws 404 for an unknown one, unless it is ignored */
async function markerOf<T extends Standard>(
  call: Call,
  { table, visibility, unknownMarkers, get }: Resource<T>,
  marker: string | undefined,
): Promise<T | undefined> {
  if (marker === undefined) return undefined;
  return unknownMarkers === 'ignored'
    ? table.findById(call.db, marker, visibleTo(call, visibility))
    : get(call, marker);
}

/** Creates one resource, or several if the body has the name of the collection. */
const createHandler =
  <T extends Standard>(resource: Resource<T>): PlainHandler<Call> =>
  async (call): Promise<Reply> => {
    const { map } = resource;
    const settings = await networkSettings.load(call.db);
    const { bulk, items } = preparePost(map, call.actor, call.body, settings);
    await checkQuotas(call, map.resource, items, settings); // before the policy rules, as upstream
    const parents = await resource.parents?.(call, items, true);
    const targets = await targetsOf(call, resource, items, parents);
    items.forEach((item, index) => {
      const sent = Object.entries(item).filter(
        ([name, value]) => value !== map.attributes[name]!.fallback,
      );
      enforce(call, rulesFor(`create_${nounOf(map)}`, map, sent), targets[index]!);
    });
    const records = await resource.create(call, items, settings);
    const shown = await targetsOf(call, resource, records, parents);
    const { views: make, viewsOfNew = make } = resource;
    const views = await viewsFor(
      call,
      { ...resource, views: viewsOfNew },
      records.map((record, index) => ({ record, target: shown[index]! })),
    );
    return created(bulk ? { [map.collection]: views } : { [map.resource]: views[0] });
  };
