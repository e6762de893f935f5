// Creates, validates, updates and deletes policies.
import { newUuid } from '../../../../kernel/ids.ts';
import type { Version } from '../../../../kernel/microversion.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { Json, Policy, Spec } from '../../model.ts';
import * as store from '../../store/index.ts';
import type { ClusteringVersion } from '../../versions.ts';
import { delegate } from '../delegation.ts';
import { bad, inUse, schemaError } from '../refusals.ts';
import { nameField } from '../requests/fields.ts';
import { ownerOf, policyFor } from '../requests/identities.ts';
import { readFields, required, unwrap } from '../requests/objects.ts';
import { readSpec, specFields } from '../specs/spec.ts';
import { checkPolicySpec } from './index.ts';

type At = Version<ClusteringVersion>;

const nameOnly = { name: required(nameField) };

/** @throws 400, 404, 500 */
export async function createPolicy(context: Context, body: unknown, version: At): Promise<Policy> {
  const { name, spec: given } = readFields(
    { ...nameOnly, ...specFields },
    unwrap(body, 'policy'),
    version,
  ) as { name: string; spec: Json };
  const spec = readSpec(given, schemaError);
  await checkPolicySpec(context, spec, true);
  const policy = newPolicy(context, name, spec);
  await delegate(context);
  await store.policies.insert(context.db, policy);
  return policy;
}

const newPolicy = (context: Context, name: string, spec: Spec): Policy => ({
  id: newUuid(),
  name,
  type: `${spec.type}-${spec.version}`,
  spec,
  data: {},
  ...ownerOf(context),
  createdAt: context.now,
  updatedAt: null,
});

/** A policy that has been validated, but not created. */
export interface ValidatedPolicy extends Omit<Policy, 'id'> {
  readonly id: null;
}

/** Validates a policy. The resources that it names need not exist. @throws 400, 404, 500 */
export async function validatePolicy(
  context: Context,
  body: unknown,
  version: At,
): Promise<ValidatedPolicy> {
  const { spec: given } = readFields(specFields, unwrap(body, 'policy'), version) as { spec: Json };
  const spec = readSpec(given, schemaError);
  await checkPolicySpec(context, spec, false);
  return { ...newPolicy(context, 'validated_policy', spec), id: null, createdAt: null };
}

/** @throws 400, 404 */
export async function updatePolicy(
  context: Context,
  identity: string,
  body: unknown,
  version: At,
): Promise<Policy> {
  const { name } = readFields(nameOnly, unwrap(body, 'policy', true), version) as { name: string };
  const policy = await policyFor(context, identity);
  if (name === policy.name) throw bad('No property needs an update');
  const changes = { name, updatedAt: context.now };
  await store.policies.update(context.db, { id: policy.id }, changes);
  return { ...policy, ...changes };
}

/** @throws 404, 409 */
export async function deletePolicy(context: Context, identity: string): Promise<void> {
  const { id } = await policyFor(context, identity);
  if (await store.bindings.exists(context.db, { policyId: id }))
    throw inUse('policy', id, 'still attached to some clusters');
  await store.policies.remove(context.db, { id });
}
