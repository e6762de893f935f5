// The tables of policies and of their associations.
import { jsonObject, text } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { Table } from '../../../../kernel/db/table.ts';
import type { PolicyDocument, PolicyTarget } from '../../model.ts';

const policies = new Table<PolicyDocument>('identity_policies', {
  id: text,
  type: text,
  blob: text,
  extra: jsonObject(),
});

/** A policy and its target; the parts that the target lacks are empty. */
const associations = new Table(
  'identity_policy_associations',
  { policyId: text, endpointId: text, serviceId: text, regionId: text },
  { key: ['endpointId', 'serviceId', 'regionId'] },
);

const targetFields = ({
  endpointId = '',
  serviceId = '',
  regionId = '',
}: PolicyTarget): Required<PolicyTarget> => ({ endpointId, serviceId, regionId });

export async function insertPolicy(db: Db, policy: PolicyDocument): Promise<void> {
  await policies.insert(db, policy);
}

export async function updatePolicy(db: Db, policy: PolicyDocument): Promise<void> {
  await policies.update(db, { id: policy.id }, policy);
}

/** Deletes a policy with its associations. */
export async function deletePolicy(db: Db, id: string): Promise<void> {
  await policies.remove(db, { id });
}

export const findPolicy = (db: Db, id: string): Promise<PolicyDocument | undefined> =>
  policies.find(db, { id });

/** All policies, ordered by id. */
export const listPolicies = (db: Db): Promise<PolicyDocument[]> => policies.list(db);

/** Associates a policy with a target, replacing the target's previous policy. */
export const setAssociation = (db: Db, target: PolicyTarget, policyId: string): Promise<void> =>
  associations.upsert(db, [{ ...targetFields(target), policyId }]);

/** Deletes the association of a policy with a target, if it exists. */
export async function deleteAssociation(
  db: Db,
  target: PolicyTarget,
  policyId: string,
): Promise<void> {
  await associations.remove(db, { ...targetFields(target), policyId });
}

/** The id of the policy that a target is associated with. */
export const associatedPolicyId = async (
  db: Db,
  target: PolicyTarget,
): Promise<string | undefined> => (await associations.find(db, targetFields(target)))?.policyId;

/** The targets that a policy is associated with. */
export async function policyTargets(db: Db, policyId: string): Promise<PolicyTarget[]> {
  const found = await associations.list(db, { where: { policyId } });
  return found.map(({ endpointId, serviceId, regionId }) => ({
    ...(endpointId ? { endpointId } : {}),
    ...(serviceId ? { serviceId } : {}),
    ...(regionId ? { regionId } : {}),
  }));
}

/** Deletes all associations of an endpoint, a service or a region. */
export async function deleteAssociationsOf(
  db: Db,
  resource: { endpointId: string } | { serviceId: string } | { regionId: string },
): Promise<void> {
  await associations.remove(db, resource);
}

/** Whether a policy is associated with a service in the region. */
export const hasAssociationsIn = (db: Db, regionId: string): Promise<boolean> =>
  associations.exists(db, { regionId });
