// Affinity tags: the keys of pods' tags as resources of their own, as in an unmerged change of
// upstream, which stored them in a table.
import { uuidFor } from '../../../kernel/ids.ts';
import type { Context } from '../../../kernel/model.ts';
import { findPod, listPods } from '../store/pods.ts';
import { isLonger, readText, type Fields } from './fields.ts';
import { retagPod } from './pods/pods.ts';
import type { Pod } from '../model.ts';
import { typed } from './errors.ts';

/** One key of a pod's tag. */
export interface AffinityTag {
  readonly id: string;
  readonly podId: string;
  readonly key: string;
  readonly value: string;
}

const listTagsOf = (pod: Pod): AffinityTag[] =>
  Object.entries(pod.resourceAffinityTag).map(([key, value]) => ({
    id: uuidFor(`tricircle.affinity_tag.${pod.id}.${key}`),
    podId: pod.id,
    key,
    value,
  }));

/** Lists the tags of all pods, those of the oldest pod first. */
export const listTags = async ({ db }: Context): Promise<AffinityTag[]> =>
  (await listPods(db)).flatMap(listTagsOf);

/** @throws 404 */
export async function findTag(context: Context, id: string): Promise<AffinityTag> {
  const tag = (await listTags(context)).find((candidate) => candidate.id === id);
  if (!tag) throw typed(404, 'Pod affinity tag not found');
  return tag;
}

/** Adds a key to a pod's tag, or replaces its value. @throws 400, SerializationFailure */
export async function addTag(context: Context, fields: Fields): Promise<AffinityTag> {
  const [key, value, podId] = ['key', 'value', 'pod_id'].map((name) =>
    requireText(fields, name),
  ) as [string, string, string];
  const pod = await findPod(context.db, podId);
  if (!pod || pod.azName === '') throw typed(400, `The pod ${podId} doesn't exist`);
  const tagged = await retagPod(
    context,
    pod,
    Object.fromEntries([...Object.entries(pod.resourceAffinityTag), [key, value]]),
  );
  return listTagsOf(tagged).find((tag) => tag.key === key)!;
}

/** Reads a text. @throws 400 if it is absent or blank */
function requireText(fields: Fields, name: string): string {
  const text = readText(fields[name]);
  if (text === undefined) throw typed(400, `Field ${name} can not be empty`);
  if (isLonger(text, 255)) throw typed(400, `Field ${name} is too long`);
  return text;
}

/** Removes a key from a pod's tag. @throws 404, SerializationFailure */
export async function removeTag(context: Context, id: string): Promise<void> {
  const { podId, key } = await findTag(context, id);
  const pod = (await findPod(context.db, podId))!;
  const rest = Object.entries(pod.resourceAffinityTag).filter(([name]) => name !== key);
  await retagPod(context, pod, Object.fromEntries(rest));
}
