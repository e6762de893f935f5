// Profiles and policies: making, changing and deleting them.
import { newUuid } from '../../../../kernel/ids.ts';
import type { Version } from '../../../../kernel/microversion.ts';
import type { Context } from '../../../../kernel/model.ts';
import { inRegionTransaction } from '../../../../kernel/context.ts';
import * as store from '../../store/index.ts';
import type { ClusteringVersion } from '../../versions.ts';
import { ownerOf, policyFor, profileFor } from '../requests/identities.ts';
import { delegate } from '../delegation.ts';
import { checkPolicySpec } from '../policies/index.ts';
import { checkProfileSpec } from '../profiles/index.ts';
import type { Json, Policy, Profile, Spec } from '../../model.ts';
import { bad, inUse, invalidSpec, schemaError } from '../refusals.ts';
import { isMap, mapField, nameField } from '../requests/fields.ts';
import { readFields, required, unwrap } from '../requests/objects.ts';
import { pythonText } from './schema.ts';

type At = Version<ClusteringVersion>;

const profileFields = { name: required(nameField), spec: required(mapField), metadata: mapField };
const policyFields = { name: required(nameField), spec: required(mapField) };
const specOnly = { spec: required(mapField) };

/**
 * The frame of a spec. A version that YAML has made a number is text again.
 * @param refuse what a frame that does not fit is, where it has a type and a version
 */
function specOf(given: Json, refuse: (message: string) => Error): Spec {
  for (const key of ['type', 'version'])
    if (given[key] === undefined || given[key] === null)
      throw schemaError(`The '${key}' key is missing from the provided spec map.`);
  const unknown = Object.keys(given).find(
    (key) => !['type', 'version', 'properties', 'description'].includes(key),
  );
  if (unknown !== undefined) throw refuse(`Unrecognizable spec item '${unknown}'`);
  const { type, version, properties = {}, description } = given;
  if (!isMap(properties)) throw refuse(`'${pythonText(properties)}' is not a Map`);
  const spelled =
    typeof version === 'number' && Number.isInteger(version) ? `${version}.0` : pythonText(version);
  const words = description === undefined ? {} : { description: pythonText(description) };
  return {
    type: pythonText(type).slice(0, 200),
    version: spelled.slice(0, 40),
    properties,
    ...words,
  };
}

/** @param context in no transaction: the profile may name another region. @throws 400, 404 */
export async function createProfile(
  context: Context,
  body: unknown,
  version: At,
): Promise<Profile> {
  const {
    name,
    spec: given,
    metadata = {},
  } = readFields(profileFields, unwrap(body, 'profile'), version) as {
    name: string;
    spec: Json;
    metadata?: Json;
  };
  const prefix = `Failed in creating profile ${name}: `;
  const spec = specOf(given, (message) => invalidSpec(`${prefix}${message}`));
  if (given['properties'] === undefined)
    throw invalidSpec(`${prefix}Required spec item 'properties' not provided`);
  await checkProfileSpec(context, name, spec, prefix);
  const profile = profileOf(context, name, spec, metadata);
  await inRegionTransaction(context, context.region, async (inner) => {
    await store.profiles.insert(inner.db, profile);
    await delegate(inner);
  });
  return profile;
}

const profileOf = (context: Context, name: string, spec: Spec, metadata: Json): Profile => ({
  id: newUuid(),
  name,
  type: `${spec.type}-${spec.version}`,
  spec,
  metadata,
  ...ownerOf(context),
  createdAt: context.now,
  updatedAt: null,
});

/** The profile as it would be. @param context in no transaction. @throws 400, 404 */
export async function validateProfile(
  context: Context,
  body: unknown,
  version: At,
): Promise<Profile> {
  const { spec: given } = readFields(specOnly, unwrap(body, 'profile'), version) as { spec: Json };
  const spec = specOf(given, invalidSpec);
  if (given['properties'] === undefined)
    throw invalidSpec("Required spec item 'properties' not provided");
  await checkProfileSpec(context, 'validated_profile', spec, '');
  const none = null as unknown as string & Json;
  return { ...profileOf(context, 'validated_profile', spec, none), id: none, createdAt: null };
}

/** @throws 400, 404 */
export async function updateProfile(
  context: Context,
  identity: string,
  body: unknown,
  version: At,
): Promise<Profile> {
  const fields = { name: nameField, metadata: mapField };
  const given = readFields(fields, unwrap(body, 'profile', true), version) as {
    name?: string;
    metadata?: Json;
  };
  const profile = await profileFor(context, identity);
  const name = given.name !== undefined && given.name !== profile.name ? { name: given.name } : {};
  const isSame =
    given.metadata === undefined ||
    JSON.stringify(given.metadata) === JSON.stringify(profile.metadata);
  const changes = { ...name, ...(isSame ? {} : { metadata: given.metadata! }) };
  if (!Object.keys(changes).length) throw bad('No property needs an update');
  const changed = { ...profile, ...changes, updatedAt: context.now };
  await store.profiles.update(
    context.db,
    { id: profile.id },
    { ...changes, updatedAt: context.now },
  );
  return changed;
}

/** @throws 404, 409 */
export async function deleteProfile(context: Context, identity: string): Promise<void> {
  const { id } = await profileFor(context, identity);
  const users =
    (await store.clusters.count(context.db, { profile_id: id })) +
    (await store.nodes.count(context.db, { profile_id: id }));
  if (users) throw inUse('profile', id, 'still referenced by some clusters and/or nodes');
  await store.profiles.remove(context.db, { id });
}

/** @throws 400, 404, 500 */
export async function createPolicy(context: Context, body: unknown, version: At): Promise<Policy> {
  const { name, spec: given } = readFields(policyFields, unwrap(body, 'policy'), version) as {
    name: string;
    spec: Json;
  };
  const spec = specOf(given, schemaError);
  await checkPolicySpec(context, spec, true);
  const policy = policyOf(context, name, spec);
  await store.policies.insert(context.db, policy);
  await delegate(context);
  return policy;
}

const policyOf = (context: Context, name: string, spec: Spec): Policy => ({
  id: newUuid(),
  name,
  type: `${spec.type}-${spec.version}`,
  spec,
  data: {},
  ...ownerOf(context),
  createdAt: context.now,
  updatedAt: null,
});

/** The policy as it would be; what it names need not be there. @throws 400, 404, 500 */
export async function validatePolicy(
  context: Context,
  body: unknown,
  version: At,
): Promise<Policy> {
  const { spec: given } = readFields(specOnly, unwrap(body, 'policy'), version) as { spec: Json };
  const spec = specOf(given, schemaError);
  await checkPolicySpec(context, spec, false);
  return {
    ...policyOf(context, 'validated_policy', spec),
    id: null as unknown as string,
    createdAt: null,
  };
}

/** @throws 400, 404 */
export async function updatePolicy(
  context: Context,
  identity: string,
  body: unknown,
  version: At,
): Promise<Policy> {
  const { name } = readFields(
    { name: required(nameField) },
    unwrap(body, 'policy', true),
    version,
  ) as { name: string };
  const policy = await policyFor(context, identity);
  if (name === policy.name) throw bad('No property needs an update');
  await store.policies.update(context.db, { id: policy.id }, { name, updatedAt: context.now });
  return { ...policy, name, updatedAt: context.now };
}

/** @throws 404, 409 */
export async function deletePolicy(context: Context, identity: string): Promise<void> {
  const { id } = await policyFor(context, identity);
  if (await store.bindings.count(context.db, { policy_id: id }))
    throw inUse('policy', id, 'still attached to some clusters');
  await store.policies.remove(context.db, { id });
}
