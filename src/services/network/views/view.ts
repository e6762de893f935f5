// What the views of all resources have in common.
import { isoSeconds } from '../../../kernel/clock.ts';
import type { Tags } from '../domain/details.ts';
import type { Standard } from '../model.ts';

/**
 * A resource by attribute, before the attributes are taken out that the caller may not see or does
 * not want.
 */
export type View = Record<string, unknown>;

/** The attributes that every resource has. */
export const standardView = (record: Standard): View => ({
  id: record.id,
  project_id: record.project_id,
  tenant_id: record.project_id,
  description: record.description,
  created_at: isoSeconds(record.created_at),
  updated_at: isoSeconds(record.updated_at),
  revision_number: record.revision_number,
});

export const tagsView = ({ id }: Standard, { tags }: Tags): View => ({ tags: tags.get(id) ?? [] });

/** The availability zones of what is in one: `nova` is the only zone. */
export const zones: readonly string[] = ['nova'];
