// The tags of resources: /v2.0/{collection}/{id}/tags. Upstream: neutron/extensions/tagging.py.
import type { PlainHandler } from '../../../kernel/http/plain-resource.ts';
import { noContent, ok, reply } from '../../../kernel/http/reply.ts';
import { text, textList } from '../domain/attributes/checks.ts';
import { invalidInput } from '../domain/refusals.ts';
import type { Standard } from '../model.ts';
import {
  addTag,
  addTags,
  checkTag,
  removeTag,
  replaceTags,
  tagsOfResource,
  type Tagged,
} from '../domain/tags.ts';
import { enforce } from './requests.ts';
import { findTarget, type Resource } from './resources.ts';
import type { Call } from '../../../kernel/model.ts';

const longest = 255;

export interface TagOperations {
  readonly list: PlainHandler<Call>;
  readonly create: PlainHandler<Call>;
  readonly replace: PlainHandler<Call>;
  readonly clear: PlainHandler<Call>;
  readonly check: PlainHandler<Call>;
  readonly add: PlainHandler<Call>;
  readonly remove: PlainHandler<Call>;
}

/** Returns the handlers for the tags of a resource. */
export function tagHandlers<T extends Standard>(resource: Resource<T>): TagOperations {
  const tagged = (call: Call, verb: 'get' | 'create' | 'update' | 'delete') =>
    findTagged(call, resource, verb);
  return {
    list: async (call) =>
      ok({ tags: await tagsOfResource(call, (await tagged(call, 'get')).record) }),
    create: async (call) => {
      const tags = sentTags(call);
      await addTags(call, await tagged(call, 'create'), tags);
      return ok({ tags }); // upstream returns only the tags that were sent
    },
    replace: async (call) => {
      const tags = sentTags(call);
      await replaceTags(call, await tagged(call, 'update'), tags);
      return ok({ tags });
    },
    clear: async (call) => {
      await replaceTags(call, await tagged(call, 'delete'), []);
      return noContent();
    },
    check: async (call) => {
      const tag = tagOf(call);
      await checkTag(call, (await tagged(call, 'get')).record, tag);
      return noContent();
    },
    add: async (call) => {
      const tag = tagOf(call);
      await addTag(call, await tagged(call, 'update'), tag);
      return reply(201);
    },
    remove: async (call) => {
      const tag = tagOf(call);
      await removeTag(call, await tagged(call, 'delete'), tag);
      return noContent();
    },
  };
}

/** Finds the resource of the path and enforces the rule for its tags. @throws 403, 404 */
async function findTagged<T extends Standard>(
  call: Call,
  resource: Resource<T>,
  verb: string,
): Promise<Tagged<T>> {
  const { record, target } = await findTarget(call, resource);
  const { resource: name, collection } = resource.map;
  enforce(call, [`${verb}_${name}:tags`], target, `get_${name}`);
  return { table: resource.table, record, collection };
}

/** Reads the tags in the body. @throws 400 */
function sentTags({ body }: Call): string[] {
  const isMap = typeof body === 'object' && body !== null && !Array.isArray(body);
  const tags = isMap ? (body as { readonly tags?: unknown }).tags : undefined;
  if (tags === undefined) throw invalidInput('Invalid tags body');
  const problem = textList(longest)(tags);
  if (problem !== undefined) throw invalidInput(problem);
  return tags as string[];
}

/** Reads the tag in the path. @throws 400 */
function tagOf(call: Call): string {
  const tag = call.params['tag']!;
  const problem = text(longest)(tag);
  if (problem !== undefined) throw invalidInput(problem);
  return tag;
}
