// Creates, validates, updates and deletes profiles.
import { inRegionTransaction } from '../../../../kernel/context.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import type { Version } from '../../../../kernel/microversion.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { Json, Profile, Spec } from '../../model.ts';
import * as store from '../../store/index.ts';
import type { ClusteringVersion } from '../../versions.ts';
import { delegate } from '../delegation.ts';
import { bad, inUse, invalidSpec } from '../refusals.ts';
import { mapField, nameField } from '../requests/fields.ts';
import { ownerOf, profileFor } from '../requests/identities.ts';
import { readFields, required, unwrap } from '../requests/objects.ts';
import { readSpec, specFields } from '../specs/spec.ts';
import { checkProfileSpec } from './index.ts';

type At = Version<ClusteringVersion>;

const createFields = { ...specFields, name: required(nameField), metadata: mapField };
const updateFields = { name: nameField, metadata: mapField };

/**
 * @param context outside of a transaction: the profile may name another region.
 * @throws 400, 404
 */
export async function createProfile(
  context: Context,
  body: unknown,
  version: At,
): Promise<Profile> {
  const fields = readFields(createFields, unwrap(body, 'profile'), version);
  const {
    name,
    spec: given,
    metadata = {},
  } = fields as {
    name: string;
    spec: Json;
    metadata?: Json;
  };
  const prefix = `Failed in creating profile ${name}: `;
  const spec = readSpec(given, (message) => invalidSpec(`${prefix}${message}`));
  if (given['properties'] === undefined)
    throw invalidSpec(`${prefix}Required spec item 'properties' not provided`);
  await checkProfileSpec(context, name, spec, prefix);
  const profile = newProfile(context, name, spec, metadata);
  await inRegionTransaction(context, context.region, async (inner) => {
    await delegate(inner);
    await store.profiles.insert(inner.db, profile);
  });
  return profile;
}

/** A profile of the actor. */
export const newProfile = (
  context: Context,
  name: string,
  spec: Spec,
  metadata: Json,
): Profile => ({
  id: newUuid(),
  name,
  type: `${spec.type}-${spec.version}`,
  spec,
  metadata,
  ...ownerOf(context),
  createdAt: context.now,
  updatedAt: null,
});

/** A profile that has been validated, but not created. */
export interface ValidatedProfile extends Omit<Profile, 'id' | 'metadata'> {
  readonly id: null;
  readonly metadata: null;
}

/** @param context outside of a transaction. @throws 400, 404 */
export async function validateProfile(
  context: Context,
  body: unknown,
  version: At,
): Promise<ValidatedProfile> {
  const { spec: given } = readFields(specFields, unwrap(body, 'profile'), version) as {
    spec: Json;
  };
  const spec = readSpec(given, invalidSpec);
  if (given['properties'] === undefined)
    throw invalidSpec("Required spec item 'properties' not provided");
  const name = 'validated_profile';
  await checkProfileSpec(context, name, spec, '');
  return { ...newProfile(context, name, spec, {}), id: null, metadata: null, createdAt: null };
}

/** @throws 400, 404 */
export async function updateProfile(
  context: Context,
  identity: string,
  body: unknown,
  version: At,
): Promise<Profile> {
  const { name, metadata } = readFields(updateFields, unwrap(body, 'profile', true), version) as {
    name?: string;
    metadata?: Json;
  };
  const profile = await profileFor(context, identity);
  const isSame =
    metadata === undefined || JSON.stringify(metadata) === JSON.stringify(profile.metadata);
  const changes = {
    ...(name !== undefined && name !== profile.name ? { name } : {}),
    ...(isSame ? {} : { metadata }),
  };
  if (!Object.keys(changes).length) throw bad('No property needs an update');
  const updated = { ...changes, updatedAt: context.now };
  await store.profiles.update(context.db, { id: profile.id }, updated);
  return { ...profile, ...updated };
}

/** @throws 404, 409 */
export async function deleteProfile(context: Context, identity: string): Promise<void> {
  const { db } = context;
  const { id } = await profileFor(context, identity);
  const isUsed =
    (await store.clusters.exists(db, { profileId: id })) ||
    (await store.nodes.exists(db, { profileId: id }));
  if (isUsed) throw inUse('profile', id, 'still referenced by some clusters and/or nodes');
  await store.profiles.remove(db, { id });
}
