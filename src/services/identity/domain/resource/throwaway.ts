// The accounts of throw-away projects: a domain with a project and a user.
import { inCentralTransaction } from '../../../../kernel/context.ts';
import { bumpAuthRevision } from '../../../../kernel/db/state.ts';
import { badRequest } from '../../../../kernel/errors.ts';
import { newHexId, newSecret } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import type {
  AccountCredentials,
  AccountRequest,
  RemovedCounts,
  ResourceOwners,
  ThrowawayAccount,
  ThrowawayHooks,
} from '../../../../emulator/projects/hooks.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { ensureAssignments } from '../../store/assignment/assignments.ts';
import { listRoles } from '../../store/assignment/roles.ts';
import { deleteRevocationEventsOf } from '../../store/auth/revocation-events.ts';
import { listUsers } from '../../store/identity/users.ts';
import { findProject, listProjects, updateProject } from '../../store/resource/projects.ts';
import { purgeTrustsOf } from '../../store/trust/trusts.ts';
import { issueToken } from '../auth/sign-in.ts';
import { hashGenerated, hashPassword } from '../identity/passwords.ts';
import { createUser } from '../identity/users.ts';
import { createDomain, discardDomain } from './domains.ts';
import { createProject, newProject } from './projects.ts';

/** The hooks of Identity. */
export const throwawayHooks: ThrowawayHooks = {
  openAccount,
  closeAccount,
  isAccountOpen: async ({ db }, domainId) => (await findProject(db, domainId))?.enabled ?? false,
  remove: removeAccount,
};

/** The size of a generated password, which is too long to guess even though its hash is fast. */
const passwordBytes = 16;

async function openAccount(
  context: Context,
  request: AccountRequest,
  record: (context: Context, account: ThrowawayAccount) => Promise<void>,
): Promise<ThrowawayAccount & AccountCredentials> {
  const { name, roles, password: chosen } = request;
  const password = chosen ?? newSecret(passwordBytes);
  const passwordHash =
    chosen === undefined ? hashGenerated(password) : await hashPassword(password);
  return inCentralTransaction(context, async (central) => {
    const { db } = central;
    const roleIds = await idsOfRoles(db, roles);
    const domain = await createDomain(central, { name });
    const position = { isDomain: false, domainId: domain.id, parentId: domain.id };
    const project = newProject({ name }, newHexId(), position);
    await createProject(central, project);
    // createUser checks the requirements of the settings only if the fields have a password.
    const fields = {
      name,
      default_project_id: project.id,
      ...(chosen === undefined ? {} : { password }),
    };
    const user = await createUser(central, fields, { fallbackDomainId: domain.id, passwordHash });
    await ensureAssignments(
      db,
      roleIds.map((roleId) => ({
        actorType: 'user',
        actorId: user.id,
        targetType: 'project',
        targetId: project.id,
        roleId,
        inherited: false,
      })),
    );
    const scope = { kind: 'project', id: project.id } as const;
    const token = await issueToken(central, { user, methods: ['password'] }, scope);
    const account = {
      projectId: project.id,
      name: project.name,
      domainId: domain.id,
      userId: user.id,
    };
    await record(central, account);
    return { ...account, password, token: token.id };
  });
}

/** The ids of global roles by their names. @throws 400 */
async function idsOfRoles(db: Db, names: readonly string[]): Promise<string[]> {
  const roles = (await listRoles(db)).filter(({ domainId }) => domainId === null);
  return [...new Set(names)].map((name) => {
    const role = roles.find((one) => one.name === name);
    if (role) return role.id;
    const known = roles.map((one) => one.name).join(', ');
    throw badRequest(`There is no role '${name}'. Roles: ${known}.`);
  });
}

/** Disables the domain, which ends the tokens of all its users. */
async function closeAccount(
  { db }: Context,
  { domainId, projectId, userId }: ThrowawayAccount,
): Promise<ResourceOwners> {
  const domain = await findProject(db, domainId);
  if (domain?.enabled) {
    const tokenEpoch = domain.tokenEpoch + 1;
    await updateProject(db, { ...domain, enabled: false, tokenEpoch });
    await bumpAuthRevision(db);
  }
  const projects = await listProjects(db, { domainId });
  const users = await listUsers(db, { domainId });
  // A reset of Identity alone has deleted the domain.
  return {
    projectIds: [...new Set([projectId, domainId, ...projects.map(({ id }) => id)])],
    userIds: [...new Set([userId, ...users.map(({ id }) => id)])],
  };
}

async function removeAccount(
  context: Context,
  owners: ResourceOwners,
  { domainId }: ThrowawayAccount,
): Promise<RemovedCounts> {
  const { db } = context;
  const { trustIds, valid: trusts } = await purgeTrustsOf(db, owners);
  if (!(await findProject(db, domainId))) return { trusts };
  const counts = await discardDomain(context, domainId);
  // The account is gone with its tokens, so nobody needs the events that ended them.
  await deleteRevocationEventsOf(db, { ...owners, trustIds });
  await bumpAuthRevision(db);
  return { trusts, ...counts };
}
