// Captures the roles of a cloud, the roles that they imply, and their assignments.
import { identityFields } from '../../../../emulator/capture/fields.ts';
import type { CaptureSource, Json } from '../../../../emulator/capture/model.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Context } from '../../../../kernel/model.ts';
import { actorTypes, targetTypes, type Assignment, type Role } from '../../model.ts';
import { ensureAssignments, listAssignments } from '../../store/assignment/assignments.ts';
import {
  deleteRole,
  ensureImplications,
  insertRole,
  listImplications,
  listRoles,
} from '../../store/assignment/roles.ts';
import { listGroups } from '../../store/identity/groups.ts';
import { listUsers } from '../../store/identity/users.ts';
import { listProjects } from '../../store/resource/projects.ts';
import { extraOf } from '../attributes.ts';
import { seededId } from '../seeded-ids.ts';

/** Captures roles and assignments, as far as the cloud shows them. */
export async function captureRoles(
  { db }: Context,
  source: CaptureSource,
  domains: ReadonlySet<string>,
): Promise<void> {
  const list = (path: string, key: string): Promise<readonly Json[]> =>
    source.list('identity', path, key);
  const listed = [...(await list('/roles', 'roles'))];
  for (const domain of domains)
    listed.push(...(await list(`/roles?domain_id=${encodeURIComponent(domain)}`, 'roles')));
  const roles = new Map(listed.map((one) => [String(one['id']), roleOf(one)]));
  await replaceRoles(db, [...roles.values()]);
  const implied = await list('/role_inferences', 'role_inferences');
  const known = new Set((await listRoles(db)).map(({ id }) => id));
  const implications = implied.flatMap((one) =>
    (one['implies'] as readonly Json[]).map(({ id }) => ({
      priorId: String((one['prior_role'] as Json)['id']),
      impliedId: String(id),
    })),
  );
  await ensureImplications(
    db,
    implications.filter(({ priorId, impliedId }) => known.has(priorId) && known.has(impliedId)),
  );
  const assignments = await list('/role_assignments', 'role_assignments');
  await insertAssignments(db, assignments);
  // If the cloud hides its role assignments, nobody else could use the captured projects.
  if (!assignments.length) await letAdminIn(db);
}

/** Gives the user `admin` the role `admin` in all projects. */
async function letAdminIn(db: Db): Promise<void> {
  const projects = (await listProjects(db)).filter(({ isDomain }) => !isDomain);
  const assignment = {
    actorType: 'user',
    actorId: seededId('user', 'admin'),
    targetType: 'project',
    roleId: seededId('role', 'admin'),
    inherited: false,
  } as const;
  await ensureAssignments(
    db,
    projects.map(({ id }) => ({ ...assignment, targetId: id })),
  );
}

const roleOf = (one: Json): Role => ({
  id: String(one['id']),
  name: String(one['name']),
  domainId: (one['domain_id'] ?? null) as string | null,
  description: (one['description'] ?? null) as string | null,
  options: (one['options'] ?? {}) as Role['options'],
  extra: extraOf(one, [...identityFields]),
});

/**
 * Inserts roles in the place of those of a new cloud with the same names: policies know roles by
 * their names. The users of the new cloud keep what they have.
 */
async function replaceRoles(db: Db, roles: readonly Role[]): Promise<void> {
  const seeded = await listRoles(db);
  const [assignments, implications] = [await listAssignments(db), await listImplications(db)];
  const replaced = new Map<string, string>();
  for (const role of roles) {
    if (seeded.some(({ id }) => id === role.id)) continue;
    const same = seeded.find(
      ({ name, domainId }) =>
        domainId === role.domainId && name.toLowerCase() === role.name.toLowerCase(),
    );
    if (same) {
      replaced.set(same.id, role.id);
      await deleteRole(db, same.id);
    }
    await insertRole(db, role);
  }
  const current = (id: string): string => replaced.get(id) ?? id;
  await ensureAssignments(
    db,
    assignments.map((one) => ({ ...one, roleId: current(one.roleId) })),
  );
  await ensureImplications(
    db,
    implications.map(({ priorId, impliedId }) => ({
      priorId: current(priorId),
      impliedId: current(impliedId),
    })),
  );
}

/** Inserts the assignments whose user or group, target and role have been captured. */
async function insertAssignments(db: Db, listed: readonly Json[]): Promise<void> {
  const known = new Set(
    [
      ...(await listRoles(db)),
      ...(await listUsers(db)),
      ...(await listGroups(db)),
      ...(await listProjects(db)),
    ].map(({ id }) => id),
  ).add(systemId);
  const assignments = listed.flatMap((one) => assignmentOf(one) ?? []);
  await ensureAssignments(
    db,
    assignments.filter(
      ({ actorId, targetId, roleId }) =>
        known.has(actorId) && known.has(targetId) && known.has(roleId),
    ),
  );
}

/** The id of the target `system` in the table. */
const systemId = 'system';

function assignmentOf(one: Json): Assignment | undefined {
  const scope = (one['scope'] ?? {}) as Json;
  const actorType = actorTypes.find((type) => one[type] !== undefined);
  const targetType = targetTypes.find((type) => scope[type] !== undefined);
  if (!actorType || !targetType) return undefined;
  const idOf = (value: unknown): string => String((value as Json)['id']);
  return {
    actorType,
    actorId: idOf(one[actorType]),
    targetType,
    targetId: targetType === 'system' ? systemId : idOf(scope[targetType]),
    roleId: idOf(one['role']),
    inherited: scope['OS-INHERIT:inherited_to'] !== undefined,
  };
}
