// Affinity tags of pods: list, create, show, delete.
import { ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { TricircleCall } from '../call.ts';
import { addTag, findTag, listTags, removeTag } from '../domain/affinity-tags.ts';
import { typed } from '../domain/errors.ts';
import { affinityTagView } from '../views/affinity-tags.ts';
import { readObject } from './requests.ts';

/** GET /v1.0/pod-affinity-tag: the key of the list is singular, as in upstream's change. */
export async function list(call: TricircleCall): Promise<Reply> {
  return ok({ pod_affinity_tag: (await listTags(call)).map(affinityTagView) });
}

/** POST /v1.0/pod-affinity-tag */
export async function create(call: TricircleCall): Promise<Reply> {
  const fields = readObject(call, 'pod_affinity_tag', () => typed(400, 'Request body not found'));
  return ok({ pod_affinity_tag: affinityTagView(await addTag(call, fields)) });
}

/** GET /v1.0/pod-affinity-tag/{tag_id} */
export async function show(call: TricircleCall): Promise<Reply> {
  return ok({ pod_affinity_tag: affinityTagView(await findTag(call, call.params['tag_id']!)) });
}

/** DELETE /v1.0/pod-affinity-tag/{tag_id} */
export async function remove(call: TricircleCall): Promise<Reply> {
  await removeTag(call, call.params['tag_id']!);
  return ok({});
}
