// The tables of application credentials and of their roles and access rules.
import { boolean, micros, nullable, text } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { Table } from '../../../../kernel/db/table.ts';
import { grouped } from '../../../../kernel/db/grouping.ts';
import type { ApplicationCredential } from '../../model.ts';
import { hashedPassword } from '../password-hash.ts';
import { nameKeyColumn } from '../names.ts';
import { findAccessRules } from './access-rules.ts';

/** The columns of an application credential; its roles and access rules are rows of link tables. */
type CredentialRow = Omit<ApplicationCredential, 'roleIds' | 'accessRules'>;

const credentials = new Table<CredentialRow>(
  'identity_application_credentials',
  {
    id: text,
    name: text,
    userId: text,
    projectId: text,
    secretHash: hashedPassword,
    description: nullable(text),
    system: nullable(text),
    expiresAt: nullable(micros),
    unrestricted: boolean,
  },
  { derived: nameKeyColumn },
);

const credentialRoles = new Table(
  'identity_application_credential_roles',
  { applicationCredentialId: text, roleId: text },
  { key: ['applicationCredentialId', 'roleId'] },
);

const credentialAccessRules = new Table(
  'identity_application_credential_access_rules',
  { applicationCredentialId: text, accessRuleId: text },
  { key: ['applicationCredentialId', 'accessRuleId'] },
);

/**
 * @throws the driver's error of `isDuplicate` if the user has an application credential of that
 *   name
 */
export async function insertApplicationCredential(
  db: Db,
  credential: ApplicationCredential,
): Promise<void> {
  const { id: applicationCredentialId, roleIds, accessRules } = credential;
  await credentials.insert(db, credential);
  await credentialRoles.insertAll(
    db,
    roleIds.map((roleId) => ({ applicationCredentialId, roleId })),
  );
  await credentialAccessRules.insertAll(
    db,
    accessRules.map((rule) => ({ applicationCredentialId, accessRuleId: rule.id })),
  );
}

export async function deleteApplicationCredential(db: Db, id: string): Promise<void> {
  await credentials.remove(db, { id });
}

/** Deletes the application credentials of a user, or only those for one project. */
export async function deleteApplicationCredentialsOf(
  db: Db,
  userId: string,
  projectId?: string,
): Promise<void> {
  await credentials.remove(db, projectId === undefined ? { userId } : { userId, projectId });
}

export async function findApplicationCredential(
  db: Db,
  id: string,
): Promise<ApplicationCredential | undefined> {
  const row = await credentials.find(db, { id });
  return row && (await withRolesAndRules(db, [row]))[0];
}

/** The application credentials of a user, ordered by name. */
export async function listApplicationCredentials(
  db: Db,
  userId: string,
): Promise<ApplicationCredential[]> {
  const rows = await credentials.list(db, { where: { userId }, sort: ['name'] });
  return withRolesAndRules(db, rows);
}

async function withRolesAndRules(
  db: Db,
  rows: readonly CredentialRow[],
): Promise<ApplicationCredential[]> {
  if (!rows.length) return [];
  const ids = rows.map((row) => row.id);
  const roles = await credentialRoles.among(db, 'applicationCredentialId', ids);
  const used = await credentialAccessRules.among(db, 'applicationCredentialId', ids);
  const rules = await findAccessRules(
    db,
    used.map((link) => link.accessRuleId),
  );
  const rulesById = new Map(rules.map((rule) => [rule.id, rule]));
  const rolesOf = grouped(roles, (link) => link.applicationCredentialId);
  const rulesOf = grouped(used, (link) => link.applicationCredentialId);
  return rows.map((row) => ({
    ...row,
    roleIds: (rolesOf.get(row.id) ?? []).map((link) => link.roleId),
    accessRules: (rulesOf.get(row.id) ?? []).map((link) => rulesById.get(link.accessRuleId)!),
  }));
}
