// The tags of a namespace. Upstream: glance/api/v2/metadef_tags.py.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import type { Reply } from '../../../../kernel/model.ts';
import { isTrue } from '../../../../kernel/oslo/booleans.ts';
import { limitOf } from '../../../../kernel/oslo/paging.ts';
import type { ImageCall } from '../../call.ts';
import {
  addTags,
  listTags,
  removeTag,
  renameTag,
  replaceTags,
  tagNamed,
} from '../../domain/metadefs/tags.ts';
import type { MetadefTag, Namespace } from '../../model.ts';
import { tagView } from '../../views/metadefs.ts';
import { checkBody } from '../schema-check.ts';
import { readBody } from './bodies.ts';
import { contentVisibilities, isDescending, visibilityOf } from './list-query.ts';
import { lockedNamespaceFor, namespaceFor } from './subject.ts';

/** GET /v2/metadefs/namespaces/{namespace}/tags */
export async function list(call: ImageCall): Promise<Reply> {
  const { query } = call;
  const descending = isDescending(query);
  visibilityOf(query, contentVisibilities);
  const unlimited = Number.MAX_SAFE_INTEGER;
  const limit = query.last('limit') ? limitOf(query, { default: 0, max: unlimited }) : undefined;
  const namespace = await namespaceFor(call, 'get_metadef_tags');
  const tags = await listTags(call, namespace, {
    sortKey: query.last('sort_key') ?? 'created_at',
    descending,
    marker: query.last('marker') || undefined,
    limit,
  });
  return ok({ tags: tags.map(({ name }) => ({ name })) });
}

/**
 * POST /v2/metadefs/namespaces/{namespace}/tags replaces the tags, or adds to them if the header
 * `X-Openstack-Append` says so.
 */
export async function replace(call: ImageCall): Promise<Reply> {
  const { tags } = await readBody<{ tags: { name: string }[] }>(call, 'tags');
  const namespace = await lockedNamespaceFor(call, 'add_metadef_tags');
  const names = tags.map(({ name }) => name);
  const appends = isTrue(call.headers['x-openstack-append'] ?? false);
  await (appends ? addTags : replaceTags)(call, namespace, names);
  return created({ tags });
}

/** GET /v2/metadefs/namespaces/{namespace}/tags/{tag_name} */
export async function show(call: ImageCall): Promise<Reply> {
  const namespace = await namespaceFor(call, 'get_metadef_tag');
  return ok(tagView(await tagOfPath(call, namespace)));
}

const tagOfPath = (call: ImageCall, namespace: Namespace): Promise<MetadefTag> =>
  tagNamed(call, namespace, call.params['tag_name']!);

/** POST /v2/metadefs/namespaces/{namespace}/tags/{tag_name} */
export async function create(call: ImageCall): Promise<Reply> {
  const name = call.params['tag_name']!;
  const namespace = await lockedNamespaceFor(call, 'add_metadef_tag');
  await checkBody(call, 'tag', 'PUT', call.route.path, { name });
  await addTags(call, namespace, [name]);
  return created(tagView(await tagOfPath(call, namespace)));
}

/** PUT /v2/metadefs/namespaces/{namespace}/tags/{tag_name} */
export async function update(call: ImageCall): Promise<Reply> {
  const { name } = await readBody<{ name: string }>(call, 'tag');
  const namespace = await lockedNamespaceFor(call, 'modify_metadef_tag');
  return ok(tagView(await renameTag(call, namespace, await tagOfPath(call, namespace), name)));
}

/** DELETE /v2/metadefs/namespaces/{namespace}/tags/{tag_name} */
export async function remove(call: ImageCall): Promise<Reply> {
  const namespace = await lockedNamespaceFor(call, 'delete_metadef_tag');
  await removeTag(call, namespace, await tagOfPath(call, namespace));
  return noContent();
}
