// The parts that the views of all resources share.
import { isoSeconds } from '../../../kernel/clock.ts';
import type { Standard, Tags } from '../model.ts';

/**
 * The attributes of a resource by name, including those that the caller may not see or did not
 * request.
 */
export type View = Record<string, unknown>;

/** The view of the attributes that every resource has. */
export const standardView = (record: Standard): View => ({
  id: record.id,
  project_id: record.project_id,
  tenant_id: record.project_id,
  description: record.description,
  created_at: isoSeconds(record.created_at),
  updated_at: isoSeconds(record.updated_at),
  revision_number: record.revision_number,
});

/** The view of a resource that has no standard attributes. */
export const plainView = (record: Standard): View => ({
  ...record,
  tenant_id: record.project_id,
});

export const tagsView = ({ id }: Standard, { tags }: Tags): View => ({ tags: tags.get(id) ?? [] });

/** The availability zones of a scheduled resource. `nova` is the only zone. */
export const zones: readonly string[] = ['nova'];
