// Reads the bodies of requests about metadata definitions.
import { forbidden } from '../../../../kernel/errors.ts';
import type { ImageCall } from '../../call.ts';
import { propertyTypesOf } from '../../domain/metadefs/property-types.ts';
import type { Association, MetadefObject, PropertyType } from '../../model.ts';
import { checkBody } from '../schema-check.ts';

/**
 * Checks a body against the schema of its operation.
 * @param name the name of the schema in messages
 * @param readOnly the fields that only the service may set
 * @throws 400, or 403 for a field that is read-only
 */
export async function readBody<T>(
  call: ImageCall,
  name: string,
  readOnly: readonly string[] = ['created_at', 'updated_at'],
): Promise<T> {
  const refused = readOnly.find((field) => Object.hasOwn(Object(call.body) as object, field));
  if (refused) throw forbidden(`Attribute '${refused}' is read-only.`);
  const { method, path } = call.route;
  await checkBody(call, name, method, path, call.body);
  return call.body as T;
}

/** The fields that only the service sets of namespaces and objects. */
export const readOnlyOfLinked = ['self', 'schema', 'created_at', 'updated_at'] as const;

export interface ObjectBody {
  readonly name: string;
  readonly description?: string | null;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, PropertyType>>;
}

/** The object that a body describes. */
export const objectOf = ({
  name,
  description = null,
  required = [],
  properties = {},
}: ObjectBody): Pick<MetadefObject, 'name' | 'description' | 'required' | 'properties'> => ({
  name,
  description,
  required,
  properties: propertyTypesOf(properties),
});

export interface AssociationBody {
  readonly name: string;
  readonly prefix?: string | null;
  readonly properties_target?: string | null;
}

/** The association that a body describes. */
export const associationOf = ({
  name,
  prefix = null,
  properties_target: propertiesTarget = null,
}: AssociationBody): Pick<Association, 'name' | 'prefix' | 'propertiesTarget'> => ({
  name,
  prefix,
  propertiesTarget,
});
