// The attributes that every new resource has, and which fields of a body a table stores as they
// are.
import type { Micros } from '../../../kernel/clock.ts';
import { newUuid } from '../../../kernel/ids.ts';
import type { Fields } from './attributes/definitions.ts';
import type { Standard } from '../model.ts';
import type { ResourceTable } from '../store/resource-table.ts';

/** The standard attributes of a new resource. */
export function newStandard(fields: Fields, now: Micros, id = newUuid()): Standard {
  return {
    id,
    project_id: fields['project_id'] as string,
    description: (fields['description'] as string | undefined) ?? '',
    revision_number: 0,
    created_at: now,
    updated_at: now,
  };
}

/**
 * The fields of a checked body that have a column of their own. They have the types of the record,
 * because the attribute map sees to that.
 */
export function storedFields<T extends Standard>(
  table: ResourceTable<T>,
  fields: Fields,
): Partial<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([name]) => table.fields.some((field) => field === name) && name !== 'id',
    ),
  ) as Partial<T>;
}
