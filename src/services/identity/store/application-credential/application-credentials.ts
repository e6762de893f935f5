// The tables of application credentials, with their roles and access rules.
import type { ApplicationCredential } from '../../model.ts';
import { nameKey } from '../columns.ts';
import { findAccessRules } from './access-rules.ts';
import type { Db } from '../../../../kernel/db/database.ts';

interface Row {
  id: string;
  name: string;
  name_key: string;
  user_id: string;
  project_id: string;
  secret_hash: string;
  description: string | null;
  system: string | null;
  expires_at: number | null;
  unrestricted: number;
}

const table = (db: Db) => db<Row>('identity_application_credentials');
const rolesTable = (db: Db) =>
  db<{ application_credential_id: string; role_id: string }>(
    'identity_application_credential_roles',
  );
const usedRules = (db: Db) =>
  db<{ application_credential_id: string; access_rule_id: string }>(
    'identity_application_credential_access_rules',
  );

/** @throws the driver's error of `isDuplicate` where the user has one of that name */
export async function insertApplicationCredential(
  db: Db,
  credential: ApplicationCredential,
): Promise<void> {
  const {
    id,
    name,
    userId,
    projectId,
    secretHash,
    description,
    system,
    expiresAt,
    unrestricted,
    roleIds,
    accessRules,
  } = credential;
  await table(db).insert({
    id,
    name,
    name_key: nameKey(name),
    user_id: userId,
    project_id: projectId,
    secret_hash: secretHash,
    description,
    system,
    expires_at: expiresAt,
    unrestricted: Number(unrestricted),
  });
  if (roleIds.length)
    await rolesTable(db).insert(
      roleIds.map((role) => ({ application_credential_id: id, role_id: role })),
    );
  if (accessRules.length) {
    await usedRules(db).insert(
      accessRules.map((rule) => ({ application_credential_id: id, access_rule_id: rule.id })),
    );
  }
}

export async function deleteApplicationCredential(db: Db, id: string): Promise<void> {
  await table(db).where({ id }).delete();
}

/** Deletes the application credentials of a user, or only those for one project. */
export async function deleteApplicationCredentialsOf(
  db: Db,
  userId: string,
  projectId?: string,
): Promise<void> {
  await table(db)
    .where({ user_id: userId, ...(projectId === undefined ? {} : { project_id: projectId }) })
    .delete();
}

export async function findApplicationCredential(
  db: Db,
  id: string,
): Promise<ApplicationCredential | undefined> {
  return (await complete(db, await table(db).where({ id })))[0];
}

/** The application credentials of a user, ordered by name. */
export async function listApplicationCredentials(
  db: Db,
  userId: string,
): Promise<ApplicationCredential[]> {
  return complete(db, await table(db).where({ user_id: userId }).orderBy(['name', 'id']));
}

async function complete(db: Db, rows: readonly Row[]): Promise<ApplicationCredential[]> {
  if (!rows.length) return [];
  const ids = rows.map((row) => row.id);
  const roles = await rolesTable(db).whereIn('application_credential_id', ids).orderBy('role_id');
  const used = await usedRules(db)
    .whereIn('application_credential_id', ids)
    .orderBy('access_rule_id');
  const ruleIds = used.map((row) => row.access_rule_id);
  const rules = ruleIds.length ? await findAccessRules(db, ruleIds) : [];
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    userId: row.user_id,
    projectId: row.project_id,
    secretHash: row.secret_hash,
    description: row.description,
    system: row.system,
    expiresAt: row.expires_at,
    unrestricted: Boolean(row.unrestricted),
    roleIds: roles
      .filter((role) => role.application_credential_id === row.id)
      .map((role) => role.role_id),
    accessRules: used
      .filter((rule) => rule.application_credential_id === row.id)
      .map((rule) => rules.find(({ id }) => id === rule.access_rule_id)!),
  }));
}
