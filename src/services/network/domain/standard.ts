// The standard attributes of new resources, and the fields of a body that are stored unchanged.
import type { Micros } from '../../../kernel/clock.ts';
import { newUuid } from '../../../kernel/ids.ts';
import type { Fields } from './attributes/definitions.ts';
import type { Standard } from '../model.ts';
import type { ResourceTable } from '../store/resource-table.ts';

/** Returns the standard attributes of a new resource. */
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
 * Returns the fields of a checked body that have a column. The attribute map ensures that they have
 * the types of the record.
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
