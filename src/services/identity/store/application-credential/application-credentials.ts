// The tables of application credentials, with their roles and access rules.
import type { AccessRule, ApplicationCredential } from '../../domain/records.ts';
import type { Db } from '../../../../kernel/db/database.ts';

interface Row {
  id: string;
  name: string;
  user_id: string;
  project_id: string;
  secret_hash: string;
  description: string | null;
  system: string | null;
  expires_at: number | null;
  unrestricted: number;
}

interface RuleRow {
  id: string;
  user_id: string;
  service: string;
  path: string;
  method: string;
}

const table = (db: Db) => db<Row>('identity_application_credentials');
const rolesTable = (db: Db) =>
  db<{ application_credential_id: string; role_id: string }>('identity_application_credential_roles');
const usedRules = (db: Db) =>
  db<{ application_credential_id: string; access_rule_id: string }>('identity_application_credential_access_rules');
const rules = (db: Db) => db<RuleRow>('identity_access_rules');

const ruleOf = (row: RuleRow): AccessRule => ({
  id: row.id,
  userId: row.user_id,
  service: row.service,
  path: row.path,
  method: row.method,
});

/** @throws the driver's error of `isDuplicate` where the user has one of that name */
export async function insertApplicationCredential(db: Db, credential: ApplicationCredential): Promise<void> {
  const { id, name, userId, projectId, secretHash, description, system, expiresAt, unrestricted, roleIds, accessRules } =
    credential;
  await table(db).insert({
    id,
    name,
    user_id: userId,
    project_id: projectId,
    secret_hash: secretHash,
    description,
    system,
    expires_at: expiresAt,
    unrestricted: Number(unrestricted),
  });
  if (roleIds.length) await rolesTable(db).insert(roleIds.map((role) => ({ application_credential_id: id, role_id: role })));
  if (accessRules.length) {
    await usedRules(db).insert(accessRules.map((rule) => ({ application_credential_id: id, access_rule_id: rule.id })));
  }
}

export async function deleteApplicationCredential(db: Db, id: string): Promise<void> {
  await table(db).where({ id }).delete();
}

/** Deletes those of a user, or only those for one of the projects. */
export async function deleteApplicationCredentialsOf(db: Db, userId: string, projectId?: string): Promise<void> {
  await table(db)
    .where({ user_id: userId, ...(projectId === undefined ? {} : { project_id: projectId }) })
    .delete();
}

export async function findApplicationCredential(db: Db, id: string): Promise<ApplicationCredential | undefined> {
  return (await complete(db, await table(db).where({ id })))[0];
}

/** Those of a user, by name. */
export async function listApplicationCredentials(db: Db, userId: string): Promise<ApplicationCredential[]> {
  return complete(db, await table(db).where({ user_id: userId }).orderBy(['name', 'id']));
}

async function complete(db: Db, rows: readonly Row[]): Promise<ApplicationCredential[]> {
  if (!rows.length) return [];
  const ids = rows.map((row) => row.id);
  const roles = await rolesTable(db).whereIn('application_credential_id', ids).orderBy('role_id');
  const used = await usedRules(db).whereIn('application_credential_id', ids).orderBy('access_rule_id');
  const known = used.length ? await rules(db).whereIn('id', [...new Set(used.map((row) => row.access_rule_id))]) : [];
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
    roleIds: roles.filter((role) => role.application_credential_id === row.id).map((role) => role.role_id),
    accessRules: used
      .filter((rule) => rule.application_credential_id === row.id)
      .map((rule) => ruleOf(known.find((candidate) => candidate.id === rule.access_rule_id) as RuleRow)),
  }));
}

export async function findAccessRule(db: Db, id: string): Promise<AccessRule | undefined> {
  const row = await rules(db).where({ id }).first();
  return row && ruleOf(row);
}

export async function listAccessRules(db: Db, userId: string): Promise<AccessRule[]> {
  return (await rules(db).where({ user_id: userId }).orderBy('id')).map((row) => ruleOf(row));
}

export async function insertAccessRule(db: Db, rule: AccessRule): Promise<void> {
  await rules(db).insert({ id: rule.id, user_id: rule.userId, service: rule.service, path: rule.path, method: rule.method });
}

/** @throws the driver's error of `isForeignKey` where a credential still uses it */
export async function deleteAccessRule(db: Db, id: string): Promise<void> {
  await rules(db).where({ id }).delete();
}

export async function deleteAccessRulesOf(db: Db, userId: string): Promise<void> {
  await rules(db).where({ user_id: userId }).delete();
}
