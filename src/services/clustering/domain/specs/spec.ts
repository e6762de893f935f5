// The specs of profiles and policies in request bodies.
import type { Spec, Json } from '../../model.ts';
import { schemaError } from '../refusals.ts';
import { isMap, mapField } from '../requests/fields.ts';
import { required } from '../requests/objects.ts';
import { pythonText } from './schema.ts';

/** The fields of a request that only validates a spec. */
export const specFields = { spec: required(mapField) };

const specKeys = ['type', 'version', 'properties', 'description'];

/**
 * Reads everything of a spec but its properties. A version that YAML has turned into a number
 * becomes text again.
 * @param error the error for a malformed spec that has a type and a version
 */
export function readSpec(given: Json, error: (message: string) => Error): Spec {
  for (const key of ['type', 'version'])
    if (given[key] === undefined || given[key] === null)
      throw schemaError(`The '${key}' key is missing from the provided spec map.`);
  const unknown = Object.keys(given).find((key) => !specKeys.includes(key));
  if (unknown !== undefined) throw error(`Unrecognizable spec item '${unknown}'`);
  const { type, version, properties = {}, description } = given;
  if (!isMap(properties)) throw error(`'${pythonText(properties)}' is not a Map`);
  const versionText =
    typeof version === 'number' && Number.isInteger(version) ? `${version}.0` : pythonText(version);
  return {
    type: pythonText(type).slice(0, 200),
    version: versionText.slice(0, 40),
    properties,
    ...(description === undefined ? {} : { description: pythonText(description) }),
  };
}
