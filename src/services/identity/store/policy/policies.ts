// The tables of policies, and of what they are associated with.
import type { PolicyDocument, PolicyTarget } from '../../model.ts';
import { objectFrom, toJson } from '../columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';

interface Row {
  id: string;
  type: string;
  blob: string;
  extra: string;
}

interface AssociationRow {
  policy_id: string;
  endpoint_id: string;
  service_id: string;
  region_id: string;
}

const table = (db: Db) => db<Row>('identity_policies');
const associations = (db: Db) => db<AssociationRow>('identity_policy_associations');

const recordOf = ({ extra, ...row }: Row): PolicyDocument => ({ ...row, extra: objectFrom(extra) });
const rowOf = ({ extra, ...policy }: PolicyDocument): Row => ({ ...policy, extra: toJson(extra) });

export async function insertPolicy(db: Db, policy: PolicyDocument): Promise<void> {
  await table(db).insert(rowOf(policy));
}

export async function updatePolicy(db: Db, policy: PolicyDocument): Promise<void> {
  await table(db).where({ id: policy.id }).update(rowOf(policy));
}

/** Deletes the policy with its associations. */
export async function deletePolicy(db: Db, id: string): Promise<void> {
  await table(db).where({ id }).delete();
}

export async function findPolicy(db: Db, id: string): Promise<PolicyDocument | undefined> {
  const row = await table(db).where({ id }).first();
  return row && recordOf(row);
}

export async function listPolicies(db: Db): Promise<PolicyDocument[]> {
  return (await table(db).orderBy('id')).map((row) => recordOf(row));
}

const targetRow = ({ endpointId = '', serviceId = '', regionId = '' }: PolicyTarget) => ({
  endpoint_id: endpointId,
  service_id: serviceId,
  region_id: regionId,
});

/** Associates a policy with a target, in the place of any other. */
export async function setAssociation(
  db: Db,
  target: PolicyTarget,
  policyId: string,
): Promise<void> {
  const row = { ...targetRow(target), policy_id: policyId };
  await associations(db).insert(row).onConflict(['endpoint_id', 'service_id', 'region_id']).merge();
}

/** Deletes the association of a policy with a target, where there is one. */
export async function deleteAssociation(
  db: Db,
  target: PolicyTarget,
  policyId: string,
): Promise<void> {
  await associations(db)
    .where({ ...targetRow(target), policy_id: policyId })
    .delete();
}

/** The id of the policy that a target is associated with. */
export async function associatedPolicyId(
  db: Db,
  target: PolicyTarget,
): Promise<string | undefined> {
  return (await associations(db).where(targetRow(target)).first())?.policy_id;
}

/** The targets that a policy is associated with. */
export async function policyTargets(db: Db, policyId: string): Promise<PolicyTarget[]> {
  const rows = await associations(db)
    .where({ policy_id: policyId })
    .orderBy(['endpoint_id', 'service_id', 'region_id']);
  return rows.map((row) => ({
    ...(row.endpoint_id ? { endpointId: row.endpoint_id } : {}),
    ...(row.service_id ? { serviceId: row.service_id } : {}),
    ...(row.region_id ? { regionId: row.region_id } : {}),
  }));
}

/** Deletes all associations of an endpoint, a service or a region. */
export async function deleteAssociationsOf(db: Db, target: PolicyTarget): Promise<void> {
  for (const [column, value] of Object.entries(targetRow(target))) {
    // An empty column says that the target does not name such a resource.
    if (value) {
      await associations(db)
        .where({ [column]: value })
        .delete();
    }
  }
}

/** Whether a policy is associated with a service in the region. */
export async function hasAssociationsIn(db: Db, regionId: string): Promise<boolean> {
  return (await associations(db).where({ region_id: regionId }).first()) !== undefined;
}
