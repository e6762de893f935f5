// Creates and deletes application credentials. Upstream: api/users.py and
// application_credential/core.py.
import type { Micros } from '../../../../kernel/clock.ts';
import { bumpAuthRevision } from '../../../../kernel/db/state.ts';
import { badRequest } from '../../../../kernel/errors.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import * as store from '../../store/application-credential/application-credentials.ts';
import { listImplications, listRoles } from '../../store/assignment/roles.ts';
import { withImplied } from '../assignment/assignments.ts';
import { rolesInScope } from '../assignment/effective-roles.ts';
import { roleIdsOf, type RoleReference } from '../assignment/role-references.ts';
import { expiry } from '../expiry.ts';
import type { ApplicationCredential, Role, Token } from '../../model.ts';
import {
  duplicate,
  forbiddenAction,
  forbiddenWithoutReason,
  refuseOnDuplicate,
} from '../refusals.ts';
import { ensureAccessRules, type AccessRuleRequest } from './access-rules.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Context } from '../../../../kernel/model.ts';

/** The attributes of a new application credential in a request. */
export interface ApplicationCredentialRequest {
  readonly name: string;
  readonly description?: string | null;
  readonly system?: string | null;
  readonly expires_at?: string | null;
  readonly unrestricted?: boolean;
  /** By default, all roles of the token. */
  readonly roles?: readonly RoleReference[];
  readonly access_rules?: readonly AccessRuleRequest[];
}

/**
 * The user and the project of an application credential, and the names of the roles in the
 * creator's token.
 */
export interface Owner {
  readonly userId: string;
  readonly projectId: string;
  readonly roles: readonly string[];
}

/** Rejects tokens of restricted application credentials. @throws 403 */
export function refuseRestricted(
  token: Token | undefined,
  resources = 'application credentials',
): void {
  if (
    !token?.methods.includes('application_credential') ||
    token.applicationCredential?.unrestricted
  )
    return;
  throw forbiddenAction(
    `Using method 'application_credential' is not allowed for managing additional ${resources}.`,
  );
}

/**
 * Rejects tokens of trusts, which cannot manage application credentials. Upstream: api/users.py.
 * @throws 403
 */
export function refuseTrustScoped(token: Token | undefined): void {
  if (token?.trust || token?.accessToken) throw forbiddenWithoutReason();
}

/**
 * Creates an application credential, and returns it with all roles of the cloud.
 * @throws 400, 404, 409
 */
export async function createApplicationCredential(
  context: Context,
  request: ApplicationCredentialRequest,
  owner: Owner,
  secretHash: string,
): Promise<{ readonly credential: ApplicationCredential; readonly roles: readonly Role[] }> {
  const { db, now } = context;
  const roles = await listRoles(db);
  const credential: ApplicationCredential = {
    id: newHexId(),
    name: request.name,
    userId: owner.userId,
    projectId: owner.projectId,
    secretHash,
    description: request.description ?? null,
    system: request.system ?? null,
    expiresAt: expiryOf(request, now),
    unrestricted: Boolean(request.unrestricted),
    roleIds: await roleIdsFor(context, request.roles, owner),
    accessRules: await ensureAccessRules(db, request.access_rules, owner.userId),
  };
  const taken = () => duplicate('application_credential', credential.name);
  await refuseOnDuplicate(store.insertApplicationCredential(db, credential), taken);
  return { credential, roles };
}

const expiryOf = ({ expires_at: text }: ApplicationCredentialRequest, now: Micros): Micros | null =>
  expiry(text || null, now);

/**
 * The requested roles and the roles that they imply, or else all roles of the token. The user must
 * have them on the project.
 * @throws 400, 404
 */
async function roleIdsFor(
  context: Context,
  requested: readonly RoleReference[] | undefined,
  owner: Owner,
): Promise<string[]> {
  const { db } = context;
  const roles = await listRoles(db);
  const inToken = new Set(owner.roles);
  const ofToken = new Set(
    roles.filter((role) => role.domainId === null && inToken.has(role.name)).map((role) => role.id),
  );
  const ids = requested?.length ? await requestedIds(db, requested, roles) : [...ofToken];
  if (ids.some((id) => !ofToken.has(id))) {
    throw badRequest(
      'Invalid application credential: Cannot create an application credential with ' +
        'unassigned role',
    );
  }
  const scope = { kind: 'project', id: owner.projectId } as const;
  const onProject = new Set(
    (await rolesInScope(context, owner.userId, scope)).map((role) => role.id),
  );
  const unassigned = ids.find((id) => !onProject.has(id));
  if (unassigned !== undefined) {
    const what =
      `Could not find role assignment with role: ${unassigned}, user or group: ` +
      `${owner.userId}, project, domain, or system: ${owner.projectId}.`;
    throw badRequest(`Invalid application credential: ${what}`);
  }
  return ids;
}

async function requestedIds(
  db: Db,
  requested: readonly RoleReference[],
  roles: readonly Role[],
): Promise<string[]> {
  const implications = await listImplications(db);
  return [...withImplied(roleIdsOf(requested, roles), implications)];
}

/** Deletes an application credential, which ends its tokens. */
export async function deleteApplicationCredential({ db }: Context, id: string): Promise<void> {
  await store.deleteApplicationCredential(db, id);
  await bumpAuthRevision(db);
}
