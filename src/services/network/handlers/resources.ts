// The five operations that every resource has: list, show, create, update and delete. Upstream:
// neutron/pecan_wsgi.
import { created, noContent, ok } from '../../../kernel/http/reply.ts';
import { may } from '../../../kernel/http/steps.ts';
import type { Target } from '../../../kernel/oslo/policy.ts';
import type { Db } from '../../../kernel/db/database.ts';
import type { Call, Reply, Context } from '../../../kernel/model.ts';
import type { AttributeMap, Fields } from '../domain/attributes/definitions.ts';
import { preparePost, preparePut } from '../domain/attributes/bodies.ts';
import type { Standard } from '../model.ts';
import { visibleTo, type Visibility } from '../domain/visibility.ts';
import { list as listRecords, type Table } from '../store/table.ts';
import type { View } from '../views/view.ts';
import { filtersOf, linksOf, pageOf, sortsOf, wantedFields } from './listings.ts';
import { checkRevision, enforce, hasRule } from './requests.ts';
import { badInput } from '../domain/refusals.ts';

/**
 * The definition of a resource: all that the operations on it need to know. Each stands in the
 * handlers file of the resource, beside the operations that are made of it.
 */
export interface Resource<T extends Standard> {
  /**
   * The names of the resource and of its attributes, and what bodies and lists may do with each.
   */
  readonly map: AttributeMap;
  readonly table: Table<T>;
  /** Which resources a project sees. Rules are asked besides. */
  readonly visibility: Visibility;
  /** The resource, where the actor sees it. @throws 404 */
  readonly get: (context: Context, id: string) => Promise<T>;
  /**
   * What rules look at besides the resource itself: its network or security group, one target for
   * each of the resources. A resource that is yet to be created has the fields of its body.
   * @throws 404 where `mustExist` and there is no such parent
   */
  readonly parents?: (
    context: Context,
    resources: readonly Fields[],
    mustExist: boolean,
  ) => Promise<Target[]>;
  /** Creates the resources of one request, all or none. */
  readonly create: (context: Context, items: readonly Fields[]) => Promise<T[]>;
  readonly update?: (context: Context, record: T, fields: Fields) => Promise<T>;
  readonly delete: (context: Context, record: T) => Promise<void>;
  /** What clients see of the records, in their order; `shown` makes it of a loader and a view. */
  readonly views: (db: Db, records: readonly T[]) => Promise<View[]>;
  /** What is done before a list is read. */
  readonly beforeList?: (call: Call) => Promise<void>;
}

/** One operation. */
export type Operation = (call: Call) => Promise<Reply>;

export interface Operations {
  readonly list: Operation;
  readonly show: Operation;
  readonly create: Operation;
  readonly update: Operation;
  readonly remove: Operation;
}

/** The operations on a resource. */
export const resourceHandlers = <T extends Standard>(resource: Resource<T>): Operations => ({
  list: (call) => list(call, resource),
  show: (call) => show(call, resource),
  create: (call) => create(call, resource),
  update: (call) => update(call, resource),
  remove: (call) => remove(call, resource),
});

/** Loads what the views of records need, for all of them at once, and makes the views. */
export const shown =
  <T, D>(
    load: (db: Db, records: readonly T[]) => Promise<D>,
    view: (record: T, details: D) => View,
  ) =>
  async (db: Db, records: readonly T[]): Promise<View[]> => {
    const details = await load(db, records);
    return records.map((record) => view(record, details));
  };

/** Creates resources one after the other: those of one request see each other. */
export const each =
  <T>(create: (context: Context, fields: Fields) => Promise<T>) =>
  async (context: Context, items: readonly Fields[]): Promise<T[]> => {
    const made: T[] = [];
    for (const fields of items) made.push(await create(context, fields));
    return made;
  };

const asFields = (record: object): Fields => ({ ...record });

/** What rules see of resources: their attributes, and what is true of their parents. */
export async function targetsOf<T extends Standard>(
  context: Context,
  { parents }: Resource<T>,
  resources: readonly object[],
  mustExist = false,
): Promise<Target[]> {
  const fields = resources.map(asFields);
  const ofParents = await parents?.(context, fields, mustExist);
  return fields.map((own, index) => ({
    ...own,
    tenant_id: own['project_id'],
    ...ofParents?.[index],
  }));
}

/** The resource of the path, with what rules see of it. @throws 404 */
export async function findTarget<T extends Standard>(
  call: Call,
  resource: Resource<T>,
): Promise<{ record: T; target: Target }> {
  const record = await resource.get(call, call.params['id']!);
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
        rules.push(...Object.keys(part).map((key) => `${action}:${name}:${key}`));
    }
  }
  return [...new Set(rules)];
}

/**
 * The views of records, each without the attributes that rules keep from the caller or that were
 * not asked for.
 */
async function viewsFor<T extends Standard>(
  call: Call,
  { map, views }: Resource<T>,
  records: readonly T[],
  targets: readonly Target[],
  fields?: readonly string[],
): Promise<View[]> {
  const names = Object.entries(map.attributes).flatMap(([name, { visible = true }]) =>
    visible && (!fields || fields.includes(name)) ? [name] : [],
  );
  const ruled = new Set(names.filter((name) => hasRule(call, `get_${map.resource}:${name}`)));
  const isShown = (name: string, target: Target): boolean =>
    !ruled.has(name) || may(call, `get_${map.resource}:${name}`, target);
  return (await views(call.db, records)).map((view, index) =>
    Object.fromEntries(
      names
        .filter((name) => isShown(name, targets[index]!))
        .map((name) => [name, view[name] ?? null]),
    ),
  );
}

/** A body with one resource. */
async function single<T extends Standard>(
  call: Call,
  resource: Resource<T>,
  record: T,
): Promise<object> {
  const targets = await targetsOf(call, resource, [record]);
  const [view] = await viewsFor(call, resource, [record], targets);
  return { [resource.map.resource]: view };
}

async function list<T extends Standard>(call: Call, resource: Resource<T>): Promise<Reply> {
  const { map, table } = resource;
  const filters = filtersOf(call, map, table);
  const sorts = sortsOf(call, map);
  const page = pageOf(call);
  await resource.beforeList?.(call);
  const after = page.marker === undefined ? undefined : await resource.get(call, page.marker);
  const records = await listRecords(call.db, table, {
    conditions: [...visibleTo(call, resource.visibility), ...filters],
    sorts,
    limit: page.limit,
    after,
    reverse: page.reverse,
  });
  const targets = await targetsOf(call, resource, records);
  // Rules are asked after the page was read, and the links are made from what they leave: a page
  // with a resource that a rule hides counts as the last one. So it is upstream: the `after` of
  // PolicyHook (neutron/pecan_wsgi/hooks/policy_enforcement.py) runs before that of
  // QueryParametersHook (query_parameters.py), which hands the list on to get_pagination_links
  // (neutron/api/api_common.py).
  const allowed = targets.map((target) => may(call, `get_${map.resource}`, target));
  const rest = records.filter((_, index) => allowed[index]);
  const views = await viewsFor(
    call,
    resource,
    rest,
    targets.filter((_, index) => allowed[index]),
    wantedFields(call),
  );
  const links = linksOf(call, page, rest);
  return ok({
    [map.collection]: views,
    ...(links.length ? { [`${map.collection}_links`]: links } : {}),
  });
}

async function show<T extends Standard>(call: Call, resource: Resource<T>): Promise<Reply> {
  const { record, target } = await findTarget(call, resource);
  const { resource: name } = resource.map;
  enforce(call, [`get_${name}`], target, `get_${name}`);
  const [view] = await viewsFor(call, resource, [record], [target], wantedFields(call));
  return ok({ [name]: view });
}

async function create<T extends Standard>(call: Call, resource: Resource<T>): Promise<Reply> {
  const { map } = resource;
  const { bulk, items } = preparePost(map, call.actor, call.body);
  const targets = await targetsOf(call, resource, items, true);
  items.forEach((item, index) => {
    const sent = Object.entries(item).filter(
      ([name, value]) => value !== map.attributes[name]!.fallback,
    );
    enforce(call, rulesFor(`create_${map.resource}`, map, sent), targets[index]!);
  });
  const records = await resource.create(call, items);
  if (!bulk) return created(await single(call, resource, records[0]!));
  return created({
    [map.collection]: await viewsFor(
      call,
      resource,
      records,
      await targetsOf(call, resource, records),
    ),
  });
}

async function update<T extends Standard>(call: Call, resource: Resource<T>): Promise<Reply> {
  const { map } = resource;
  const fields = preparePut(map, call.actor, call.body);
  const record = await resource.get(call, call.params['id']!);
  const [target] = await targetsOf(call, resource, [{ ...record, ...fields }]);
  const rules = rulesFor(`update_${map.resource}`, map, Object.entries(fields));
  enforce(call, rules, target!, `get_${map.resource}`);
  checkRevision(call, record);
  return ok(await single(call, resource, await resource.update!(call, record, fields)));
}

async function remove<T extends Standard>(call: Call, resource: Resource<T>): Promise<Reply> {
  if (call.raw?.length) throw badInput('Request body is not supported in DELETE.');
  const { record, target } = await findTarget(call, resource);
  const { resource: name } = resource.map;
  enforce(call, [`delete_${name}`], target, `get_${name}`);
  checkRevision(call, record);
  await resource.delete(call, record);
  return noContent();
}
