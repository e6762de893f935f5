// Captures the domains, projects, users, groups, roles and federation of a cloud. If a new cloud
// already has a name, such as that of the user `admin`, the beginning of the id is added to the
// captured name.
import { allOrOwn, identityFields } from '../../../../emulator/capture/fields.ts';
import type { Captured, CaptureSource, Json } from '../../../../emulator/capture/model.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { Project } from '../../model.ts';
import {
  deleteAssignmentsOfActor,
  deleteAssignmentsOnTarget,
} from '../../store/assignment/assignments.ts';
import { deleteUser } from '../../store/identity/users.ts';
import { deleteProject, insertProject, listProjects } from '../../store/resource/projects.ts';
import { extraOf } from '../attributes.ts';
import { defaultDomainId, seededId } from '../seeded-ids.ts';
import { captureFederation } from './federation.ts';
import { captureRoles } from './roles.ts';
import { captureGroups, captureUsers } from './users.ts';
import { FreeNames } from './names.ts';

/** Captures what Identity has, except credentials, trusts, limits and the catalog. */
export async function captureIdentity(context: Context, source: CaptureSource): Promise<Captured> {
  const { db } = context;
  await removeDemo(db);
  const listed = await source.list('identity', '/domains', 'domains');
  const domains = [defaultDomainId, ...listed.map(({ id }) => String(id))];
  const names = new FreeNames(await listProjects(db));
  for (const one of listed)
    if (!names.has(one))
      await insertProject(db, { ...projectOf({ ...one, is_domain: true }, names), ...ofDomain });
  const projects = await captureProjects(context, source, names);
  const users = await captureUsers(context, source, new Set(domains));
  const groups = await captureGroups(context, source, new Set(domains));
  await captureRoles(context, source, new Set(domains));
  await captureFederation(context, source, new Set(domains));
  return { projects, users, groups };
}

/**
 * Deletes the user and the project `demo` of a new cloud: the captured cloud has its own, or none.
 */
async function removeDemo(db: Db): Promise<void> {
  const [user, project] = [seededId('user', 'demo'), seededId('project', 'demo')];
  await deleteAssignmentsOfActor(db, 'user', user);
  await deleteAssignmentsOnTarget(db, project);
  await deleteUser(db, user);
  await deleteProject(db, project);
}

/** What makes a project a domain. */
const ofDomain = { domainId: null, parentId: null, isDomain: true };

/** The record of a project. One whose domain is unknown is in the default domain. */
function projectOf(one: Json, names: FreeNames): Project {
  const domain = String(one['domain_id']);
  const domainId = names.has({ id: domain }) ? domain : defaultDomainId;
  const parentId = String(one['parent_id'] ?? domainId);
  return {
    id: String(one['id']),
    name: names.take(one, one['is_domain'] === true ? null : domainId),
    domainId,
    parentId: names.has({ id: parentId }) ? parentId : domainId,
    isDomain: false,
    enabled: one['enabled'] !== false,
    description: String(one['description'] ?? ''),
    tags: (one['tags'] ?? []) as readonly string[],
    options: (one['options'] ?? {}) as Project['options'],
    extra: extraOf(one, [...identityFields]),
    tokenEpoch: 0,
  };
}

/** Captures all projects, or those of the user if others may not be listed. @returns how many */
async function captureProjects(
  { db }: Context,
  source: CaptureSource,
  names: FreeNames,
): Promise<number> {
  const list = (path: string) => source.list('identity', path, 'projects');
  const visible = await allOrOwn(await list('/projects'), () => list('/auth/projects'));
  const projects = visible.filter((one) => one['is_domain'] !== true);
  const listed = new Set(projects.map(({ id }) => id));
  for (let left = projects; left.length;) {
    // Parents come before their children.
    const next = left.filter(({ parent_id: parent }) => !listed.has(parent));
    for (const one of next.length ? next : left) {
      if (!names.has(one)) await insertProject(db, projectOf(one, names));
      listed.delete(one['id']);
    }
    left = left.filter(({ id }) => listed.has(id));
  }
  return projects.length;
}
