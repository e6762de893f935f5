// The tables of roles and of their implications.
import type { Implication, Role } from '../../model.ts';
import { nameKey, objectFrom, orNull, toJson } from '../columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';

interface Row {
  id: string;
  name: string;
  name_key: string;
  domain_id: string;
  description: string | null;
  options: string;
  extra: string;
}

interface ImplicationRow {
  prior_role_id: string;
  implied_role_id: string;
}

const table = (db: Db) => db<Row>('identity_roles');
const implications = (db: Db) => db<ImplicationRow>('identity_implied_roles');

const recordOf = (row: Row): Role => ({
  id: row.id,
  name: row.name,
  domainId: orNull(row.domain_id),
  description: row.description,
  options: objectFrom(row.options),
  extra: objectFrom(row.extra),
});

const rowOf = (role: Role): Row => ({
  id: role.id,
  name: role.name,
  name_key: nameKey(role.name),
  domain_id: role.domainId ?? '',
  description: role.description,
  options: toJson(role.options),
  extra: toJson(role.extra),
});

/** @throws the driver's error of `isDuplicate` where the name is taken in the domain */
export async function insertRole(db: Db, role: Role): Promise<void> {
  await table(db).insert(rowOf(role));
}

/** Inserts those that are not stored yet. */
export async function ensureRoles(db: Db, roles: readonly Role[]): Promise<void> {
  await table(db).insert(roles.map(rowOf)).onConflict().ignore();
}

export async function updateRole(db: Db, role: Role): Promise<void> {
  await table(db).where({ id: role.id }).update(rowOf(role));
}

/** Deletes the role with its assignments and implications. */
export async function deleteRole(db: Db, id: string): Promise<void> {
  await table(db).where({ id }).delete();
}

export async function deleteRolesOfDomain(db: Db, domainId: string): Promise<void> {
  await table(db).where({ domain_id: domainId }).delete();
}

export async function findRole(db: Db, id: string): Promise<Role | undefined> {
  const row = await table(db).where({ id }).first();
  return row && recordOf(row);
}

/** All roles; there are few. */
export async function listRoles(db: Db): Promise<Role[]> {
  return (await table(db).orderBy(['name', 'id'])).map((row) => recordOf(row));
}

/** All implications; there are few. */
export async function listImplications(db: Db): Promise<Implication[]> {
  const rows = await implications(db).orderBy(['prior_role_id', 'implied_role_id']);
  return rows.map((row) => ({ priorId: row.prior_role_id, impliedId: row.implied_role_id }));
}

/** @throws the driver's error of `isDuplicate` where there is such an implication */
export async function insertImplication(
  db: Db,
  { priorId, impliedId }: Implication,
): Promise<void> {
  await implications(db).insert({ prior_role_id: priorId, implied_role_id: impliedId });
}

/** Inserts those that are not stored yet. */
export async function ensureImplications(db: Db, all: readonly Implication[]): Promise<void> {
  const rows = all.map(({ priorId, impliedId }) => ({
    prior_role_id: priorId,
    implied_role_id: impliedId,
  }));
  await implications(db).insert(rows).onConflict(['prior_role_id', 'implied_role_id']).ignore();
}

export async function hasImplication(
  db: Db,
  { priorId, impliedId }: Implication,
): Promise<boolean> {
  return (
    (await implications(db)
      .where({ prior_role_id: priorId, implied_role_id: impliedId })
      .first()) !== undefined
  );
}

/** Deletes an implication. Whether there was one. */
export async function deleteImplication(
  db: Db,
  { priorId, impliedId }: Implication,
): Promise<boolean> {
  return (
    (await implications(db)
      .where({ prior_role_id: priorId, implied_role_id: impliedId })
      .delete()) > 0
  );
}
