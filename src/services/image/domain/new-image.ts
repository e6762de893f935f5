// Reads the new image that a body describes.
import { forbidden } from '../../../kernel/errors.ts';
import type { NewImage } from '../model.ts';
import { uniqueTags } from './changes.ts';
import { fieldOf, isField, isReserved, readOnlyAtCreation } from './names.ts';

/**
 * The new image that a body describes, which fits the schema.
 * @param owner the project that owns it, unless the body names another one
 * @throws 403 for a reserved name
 */
export function newImageOf(
  owner: string | null,
  body: Readonly<Record<string, unknown>>,
): NewImage {
  const entries = Object.entries(body);
  const fields = entries
    .filter(([name]) => isField(name))
    .map(([name, value]) => [fieldOf[name as keyof typeof fieldOf], value]);
  const properties = entries.filter(
    ([name]) => !isField(name) && name !== 'id' && !readOnlyAtCreation.includes(name),
  );
  const reserved = properties.find(([name]) => isReserved(name));
  if (reserved) throw forbidden(`Attribute '${reserved[0]}' is reserved.`);
  return {
    owner,
    ...(Object.fromEntries(fields) as Partial<NewImage>),
    ...(body['id'] === undefined ? {} : { id: body['id'] as string }),
    tags: uniqueTags((body['tags'] ?? []) as string[]),
    properties: Object.fromEntries(properties) as Record<string, string>,
  };
}
