// The tables of policies, and of what they are associated with.
import type { PolicyDocument, PolicyPlace } from '../../domain/records.ts';
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

const placeRow = ({ endpointId = '', serviceId = '', regionId = '' }: PolicyPlace) => ({
  endpoint_id: endpointId,
  service_id: serviceId,
  region_id: regionId,
});

/** Associates a policy with a place, instead of the one that was. */
export async function setPolicyOf(db: Db, place: PolicyPlace, policyId: string): Promise<void> {
  const row = { ...placeRow(place), policy_id: policyId };
  await associations(db).insert(row).onConflict(['endpoint_id', 'service_id', 'region_id']).merge();
}

/** Takes a policy from a place, where it has it. */
export async function unsetPolicyOf(db: Db, place: PolicyPlace, policyId: string): Promise<void> {
  await associations(db)
    .where({ ...placeRow(place), policy_id: policyId })
    .delete();
}

/** The id of the policy of a place. */
export async function policyIdOf(db: Db, place: PolicyPlace): Promise<string | undefined> {
  return (await associations(db).where(placeRow(place)).first())?.policy_id;
}

/** The places that a policy is for. */
export async function placesOf(db: Db, policyId: string): Promise<PolicyPlace[]> {
  const rows = await associations(db).where({ policy_id: policyId }).orderBy(['endpoint_id', 'service_id', 'region_id']);
  return rows.map((row) => ({
    ...(row.endpoint_id ? { endpointId: row.endpoint_id } : {}),
    ...(row.service_id ? { serviceId: row.service_id } : {}),
    ...(row.region_id ? { regionId: row.region_id } : {}),
  }));
}

/** Forgets the places that an endpoint, a service or a region stands in. */
export async function forgetPolicyPlaces(db: Db, gone: PolicyPlace): Promise<void> {
  for (const [column, value] of Object.entries(placeRow(gone))) {
    // An empty one says that a place has none of it.
    if (value) {
      await associations(db)
        .where({ [column]: value })
        .delete();
    }
  }
}
