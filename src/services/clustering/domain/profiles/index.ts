// The types of profiles, by `<name>-<version>`.
import { ApiError } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { inRegionTransaction } from '../../../../kernel/context.ts';
import type { Json, Profile, Spec } from '../../model.ts';
import { bad, invalidSpec, notFoundHere } from '../refusals.ts';
import { regionNamed, regionOfProfile, missingRegion } from '../nodes/regions.ts';
import { resolve, SpecError } from '../specs/schema.ts';
import { container } from './container.ts';
import { heatStack } from './heat-stack.ts';
import { novaServer } from './nova-server.ts';
import type { ProfileType } from './types.ts';

export const profileTypes: Readonly<Record<string, ProfileType>> = Object.fromEntries(
  [container, heatStack, novaServer].map((type) => [`${type.name}-${type.version}`, type]),
);

/** @param error the error for an unknown type. @throws 404 by default */
export function profileTypeFor(name: string, error = notFoundHere): ProfileType {
  if (!Object.hasOwn(profileTypes, name)) throw error('profile_type', name);
  return profileTypes[name]!;
}

export const unknownType = (_kind: string, name: string): ApiError =>
  bad(`The profile_type '${name}' could not be found`);

export const typeOfProfile = ({ type }: Pick<Profile, 'type'>): ProfileType => profileTypes[type]!;

/** The properties of a profile, with defaults. */
export const propertiesOf = (profile: Pick<Profile, 'type' | 'spec'>): Json =>
  resolve(typeOfProfile(profile).schema, profile.spec.properties);

/**
 * Validates a spec in the region that it names.
 * @param context outside of a transaction
 * @param prefix precedes the message if the spec violates the schema
 * @throws 400, 404
 */
export async function checkProfileSpec(
  context: Context,
  name: string,
  spec: Spec,
  prefix: string,
): Promise<void> {
  const type = profileTypeFor(`${spec.type}-${spec.version}`);
  try {
    const properties = resolve(type.schema, spec.properties);
    const regionName = regionOfProfile(properties) ?? context.region.name;
    const region = regionNamed(context, regionName);
    if (!region) throw new SpecError(missingRegion(regionName));
    await inRegionTransaction(context, region, (inner) => type.validate(inner, name, properties));
  } catch (error) {
    if (error instanceof SpecError) throw invalidSpec(`${prefix}${error.message}`);
    throw error;
  }
}
