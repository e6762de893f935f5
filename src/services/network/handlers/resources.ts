// The five operations that every kind of thing has; what differs is said by the kind. Upstream: neutron/pecan_wsgi.
import { created, noContent, ok } from '../../../kernel/http/reply.ts';
import { badRequest } from '../../../kernel/fault.ts';
import { may } from '../../../kernel/http/steps.ts';
import type { Target } from '../../../kernel/auth/policy.ts';
import type { Work } from '../domain/actor.ts';
import type { Fields, Kind } from '../domain/attributes/definitions.ts';
import { preparePost, preparePut } from '../domain/attributes/bodies.ts';
import { seen, type Scope } from '../domain/visibility.ts';
import type { Standard } from '../domain/records.ts';
import { list as listRows, type Table } from '../store/table.ts';
import type { Show, View } from '../views/things.ts';
import { fieldsOf, filtersOf, linksOf, pageOf, sortsOf } from './listings.ts';
import { checkRevision, enforce, hasRule, queueUp, workOf } from './requests.ts';
import type { Call, Reply } from '../../../kernel/model.ts';

/** A kind of thing, and what is its own in the five operations. */
export interface Thing<T extends Standard> {
  readonly kind: Kind;
  readonly table: Table<T>;
  readonly scope: Scope;
  /** @throws 404 where the caller sees none */
  get(work: Work, id: string): Promise<T>;
  /** What rules look at besides the thing itself: whose network or group it is on. */
  relatives?(work: Work, things: readonly Fields[], mustExist: boolean): Promise<Target[]>;
  /** Makes things of one request, all or none. */
  create(work: Work, items: readonly Fields[]): Promise<T[]>;
  update?(work: Work, record: T, fields: Fields): Promise<T>;
  remove(work: Work, record: T): Promise<void>;
  readonly show: Show<T>;
  /** What is done before a list is read. */
  before?(work: Work, call: Call): Promise<void>;
}

/** One operation on a thing. */
export type Handler = (call: Call) => Promise<Reply>;

export interface Handlers {
  readonly list: Handler;
  readonly create: Handler;
  readonly show: Handler;
  readonly update: Handler;
  readonly remove: Handler;
}

/** The handlers of a kind of thing. */
export function handlersFor<T extends Standard>(thing: Thing<T>): Handlers {
  return {
    list: (call) => list(call, thing),
    create: (call) => create(call, thing),
    show: (call) => show(call, thing),
    update: (call) => update(call, thing),
    remove: (call) => remove(call, thing),
  };
}

const plain: Target = {};

/** What rules see of a thing: its attributes, and what is true of what it belongs to. */
export const targetOf = (fields: Fields, relatives: Target): Target => ({
  ...fields,
  tenant_id: fields['project_id'],
  ...relatives,
});

async function targetsOf<T extends Standard>(
  work: Work,
  thing: Thing<T>,
  things: readonly Fields[],
  mustExist = false,
): Promise<Target[]> {
  const relatives = await thing.relatives?.(work, things, mustExist);
  return things.map((one, index) => targetOf(one, relatives?.[index] ?? plain));
}

/** The rules for sending these attributes: of the operation, and of those attributes that have rules of their own. */
function rulesOf(
  { kind }: Thing<never>,
  action: string,
  fields: Fields,
  touched: (name: string, value: unknown) => boolean,
): string[] {
  const rules = [action];
  for (const [name, attribute] of Object.entries(kind.attributes)) {
    const value = fields[name];
    if (!attribute.policy || value === undefined || !touched(name, value)) continue;
    rules.push(`${action}:${name}`);
    for (const part of [value].flat() as unknown[]) {
      if (typeof part === 'object' && part !== null) rules.push(...Object.keys(part).map((key) => `${action}:${name}:${key}`));
    }
  }
  return [...new Set(rules)];
}

async function list<T extends Standard>(call: Call, thing: Thing<T>): Promise<Reply> {
  const { kind, table } = thing;
  const work = workOf(call);
  const filters = filtersOf(call, kind, table);
  const sorts = sortsOf(call, kind);
  const page = pageOf(call);
  await thing.before?.(work, call);
  const after = page.marker === undefined ? undefined : await thing.get(work, page.marker);
  const records = await listRows(call.db, table, {
    where: filters.where,
    narrow: [...seen(call.db, work.actor, thing.scope), ...filters.narrow],
    sorts,
    limit: page.limit,
    after,
    reverse: page.reverse,
  });
  const targets = await targetsOf(work, thing, records as unknown as Fields[]);
  const allowed = records.filter((_, index) => may(call, `get_${kind.noun}`, targets[index]!));
  const views = await shownAs(call, thing, allowed, targets[0] ?? plain);
  const links = linksOf(call, page, allowed);
  return ok({ [kind.plural]: views, ...(links.length ? { [`${kind.plural}_links`]: links } : {}) });
}

/** Things without what the caller may not see or does not want to. */
async function shownAs<T extends Standard>(
  call: Call,
  thing: Thing<T>,
  records: readonly T[],
  target: Target,
  cut = true,
): Promise<View[]> {
  const { kind, show } = thing;
  const wanted = cut ? fieldsOf(call) : undefined;
  const visible = Object.entries(kind.attributes)
    .filter(([name, { visible = true }]) => visible && (!wanted || wanted.includes(name)))
    .map(([name]) => name)
    .filter((name) => !hasRule(call, `get_${kind.noun}:${name}`) || may(call, `get_${kind.noun}:${name}`, target));
  const views = await show(call.db, records);
  return views.map((view) => Object.fromEntries(visible.map((name) => [name, view[name] ?? null])));
}

async function single<T extends Standard>(call: Call, thing: Thing<T>, record: T, cut = false): Promise<object> {
  const [target] = await targetsOf(workOf(call), thing, [record as unknown as Fields]);
  const [view] = await shownAs(call, thing, [record], target!, cut);
  return { [thing.kind.noun]: view };
}

async function show<T extends Standard>(call: Call, thing: Thing<T>): Promise<Reply> {
  const work = workOf(call);
  const record = await thing.get(work, call.params['id']!);
  const [target] = await targetsOf(work, thing, [record as unknown as Fields]);
  const rule = `get_${thing.kind.noun}`;
  enforce(call, [rule], target!, rule);
  return ok(await single(call, thing, record, true));
}

async function create<T extends Standard>(call: Call, thing: Thing<T>): Promise<Reply> {
  const { kind } = thing;
  const work = workOf(call);
  const { bulk, items } = preparePost(kind, work.actor, call.body);
  await queueUp(call, items[0]!['project_id'] as string | undefined);
  const targets = await targetsOf(work, thing, items, true);
  items.forEach((item, index) => {
    const sent = (name: string, value: unknown): boolean => value !== kind.attributes[name]!.fallback;
    enforce(call, rulesOf(thing as unknown as Thing<never>, `create_${kind.noun}`, item, sent), targets[index]!);
  });
  const records = await thing.create(work, items);
  if (!bulk) return created(await single(call, thing, records[0]!));
  return created({ [kind.plural]: await shownAs(call, thing, records, targets[0]!, false) });
}

async function update<T extends Standard>(call: Call, thing: Thing<T>): Promise<Reply> {
  const { kind } = thing;
  const work = workOf(call);
  const fields = preparePut(kind, work.actor, call.body);
  const record = await thing.get(work, call.params['id']!);
  const [target] = await targetsOf(work, thing, [{ ...(record as unknown as Fields), ...fields }]);
  const rules = rulesOf(thing as unknown as Thing<never>, `update_${kind.noun}`, fields, () => true);
  enforce(call, rules, target!, `get_${kind.noun}`);
  checkRevision(call, record);
  return ok(await single(call, thing, await thing.update!(work, record, fields)));
}

async function remove<T extends Standard>(call: Call, thing: Thing<T>): Promise<Reply> {
  if (call.raw?.length) throw badRequest('Request body is not supported in DELETE.', { type: 'HTTPBadRequest' });
  const work = workOf(call);
  const record = await thing.get(work, call.params['id']!);
  const [target] = await targetsOf(work, thing, [record as unknown as Fields]);
  enforce(call, [`delete_${thing.kind.noun}`], target!, `get_${thing.kind.noun}`);
  checkRevision(call, record);
  await thing.remove(work, record);
  return noContent();
}
