// Tags of things: /v2.0/{things}/{id}/tags. Upstream: neutron/extensions/tagging.py.
import { noContent, ok, reply } from '../../../kernel/http/reply.ts';
import type { Fields } from '../domain/attributes/definitions.ts';
import { text, textList } from '../domain/attributes/checks.ts';
import { absent, badResource, invalidInput } from '../domain/refusals.ts';
import type { Standard } from '../domain/records.ts';
import { touch } from '../store/table.ts';
import { addTags, removeTag, setTags, tagsOf } from '../store/tags.ts';
import { enforce, workOf } from './requests.ts';
import { targetOf, type Handler, type Thing } from './resources.ts';
import type { Call, Reply } from '../../../kernel/model.ts';

const mostTags = 50;
const longest = 255;

export interface TagHandlers {
  readonly list: Handler;
  readonly create: Handler;
  readonly replace: Handler;
  readonly clear: Handler;
  readonly check: Handler;
  readonly add: Handler;
  readonly remove: Handler;
}

/** The handlers for the tags of a kind of thing. */
export function tagHandlers<T extends Standard>(thing: Thing<T>): TagHandlers {
  return {
    list: async (call) => ok({ tags: (await taggedThing(call, thing, 'get')).tags }),
    create: (call) => create(call, thing),
    replace: (call) => replace(call, thing),
    clear: (call) => change(call, thing, 'delete', ({ record }) => setTags(call.db, record.id, [])),
    check: (call) => check(call, thing),
    add: (call) => add(call, thing),
    remove: (call) => remove(call, thing),
  };
}

interface Tagged<T> {
  readonly record: T;
  readonly tags: readonly string[];
}

/** The thing with its tags, once the rules have been asked. */
async function taggedThing<T extends Standard>(call: Call, thing: Thing<T>, verb: string): Promise<Tagged<T>> {
  const work = workOf(call);
  const record = await thing.get(work, call.params['id']!);
  const [relatives] = (await thing.relatives?.(work, [record as unknown as Fields], false)) ?? [{}];
  const { noun } = thing.kind;
  enforce(call, [`${verb}_${noun}:tags`], targetOf(record as unknown as Fields, relatives!), `get_${noun}`);
  return { record, tags: (await tagsOf(call.db, [record.id])).get(record.id) ?? [] };
}

async function change<T extends Standard>(
  call: Call,
  thing: Thing<T>,
  verb: string,
  write: (tagged: Tagged<T>) => Promise<void>,
): Promise<Reply> {
  const tagged = await taggedThing(call, thing, verb);
  await write(tagged);
  await touch(call.db, thing.table, tagged.record, call.now);
  return noContent();
}

/** The tags of a body. @throws 400 */
function sentTags({ body }: Call): string[] {
  const tags = typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Fields)['tags'] : undefined;
  if (tags === undefined) throw invalidInput('Invalid tags body');
  const wrong = textList(longest)(tags);
  if (wrong !== undefined) throw invalidInput(wrong);
  return tags as string[];
}

function checkNumber(thing: Thing<never>, tags: readonly string[]): void {
  if (new Set(tags).size > mostTags)
    throw badResource(thing.kind.plural, `The number of tags exceed the per-resource limit of ${mostTags}`);
}

async function replace<T extends Standard>(call: Call, thing: Thing<T>): Promise<Reply> {
  const tags = sentTags(call);
  const { record } = await taggedThing(call, thing, 'update');
  checkNumber(thing as unknown as Thing<never>, tags);
  await setTags(call.db, record.id, tags);
  await touch(call.db, thing.table, record, call.now);
  return ok({ tags });
}

async function create<T extends Standard>(call: Call, thing: Thing<T>): Promise<Reply> {
  const sent = sentTags(call);
  const { record, tags } = await taggedThing(call, thing, 'create');
  const fresh = sent.filter((tag) => !tags.includes(tag));
  checkNumber(thing as unknown as Thing<never>, sent);
  await addTags(call.db, record.id, fresh);
  await touch(call.db, thing.table, record, call.now);
  return ok({ tags: [...tags, ...fresh].toSorted() });
}

/** The tag of the path. @throws 400 */
function tagOf(call: Call): string {
  const tag = call.params['tag']!;
  const wrong = text(longest)(tag);
  if (wrong !== undefined) throw invalidInput(wrong);
  return tag;
}

const tagNotFound = (tag: string) => absent('TagNotFound', `Tag ${tag} could not be found.`);

async function check<T extends Standard>(call: Call, thing: Thing<T>): Promise<Reply> {
  const tag = tagOf(call);
  const { tags } = await taggedThing(call, thing, 'get');
  if (!tags.includes(tag)) throw tagNotFound(tag);
  return noContent();
}

async function add<T extends Standard>(call: Call, thing: Thing<T>): Promise<Reply> {
  const tag = tagOf(call);
  await change(call, thing, 'update', async ({ record, tags }) => {
    checkNumber(thing as unknown as Thing<never>, [...tags, tag]);
    if (!tags.includes(tag)) await addTags(call.db, record.id, [tag]);
  });
  return reply(201);
}

async function remove<T extends Standard>(call: Call, thing: Thing<T>): Promise<Reply> {
  const tag = tagOf(call);
  return change(call, thing, 'delete', async ({ record, tags }) => {
    if (!tags.includes(tag)) throw tagNotFound(tag);
    await removeTag(call.db, record.id, tag);
  });
}
