// The view of one key of a pod's tag.
import type { AffinityTag } from '../domain/affinity-tags.ts';

export const affinityTagView = ({ id, podId, key, value }: AffinityTag): object => ({
  affinity_tag_id: id,
  pod_id: podId,
  key,
  value,
});
