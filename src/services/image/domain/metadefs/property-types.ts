// How the definition of a property is kept. Upstream: glance/api/v2/model/metadef_property_type.py.
import type { PropertyType, PropertyTypes } from '../../model.ts';

/** The fields of a property, in the order in which replies have them. */
const propertyFields = [
  'name',
  'type',
  'title',
  'description',
  'operators',
  'default',
  'readonly',
  'minimum',
  'maximum',
  'enum',
  'pattern',
  'minLength',
  'maxLength',
  'items',
  'uniqueItems',
  'minItems',
  'maxItems',
  'additionalItems',
] as const;

/**
 * The definition of a property as upstream keeps it: the default is text in Python's spelling, or
 * null if it is a list or an object, and limits are whole numbers.
 */
export function propertyTypeOf(body: PropertyType): PropertyType {
  const fields = propertyFields.flatMap((name) =>
    Object.hasOwn(body, name) ? [[name, storedValue(name, body[name])] as const] : [],
  );
  return Object.fromEntries(fields) as unknown as PropertyType;
}

function storedValue(name: string, value: unknown): unknown {
  if (name === 'minimum' || name === 'maximum') return Math.trunc(value as number);
  if (name !== 'default' || typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return typeof value === 'number' ? String(value) : null;
}

export const propertyTypesOf = (bodies: PropertyTypes): Record<string, PropertyType> =>
  Object.fromEntries(Object.entries(bodies).map(([name, body]) => [name, propertyTypeOf(body)]));
