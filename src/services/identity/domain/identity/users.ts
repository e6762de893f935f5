// The rules for users. Upstream: keystone/identity/core.py.
import { parseTime } from '../../../../kernel/clock.ts';
import { badRequest } from '../../../../kernel/fault.ts';
import { deleteAssignmentsOfActor } from '../../store/assignment/assignments.ts';
import { deleteCredentialsOf } from '../../store/credential/credentials.ts';
import {
  deleteAccessRulesOf,
  deleteApplicationCredentialsOf,
} from '../../store/application-credential/application-credentials.ts';
import { deleteGroup, memberIds } from '../../store/identity/groups.ts';
import { findProject } from '../../store/resource/projects.ts';
import { deleteTrustsOfUser } from '../../store/trust/trusts.ts';
import { deleteUser, endUserTokens } from '../../store/identity/users.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/** @throws 400 where the default project is a domain; one that is not there is let pass, as upstream */
export async function refuseDomainAsDefault(db: Db, projectId: string | null): Promise<void> {
  const project = projectId ? await findProject(db, projectId) : undefined;
  if (project?.isDomain) throw badRequest(`User's default project ID cannot be a domain ID: ${projectId}`);
}

/** @throws 400 where the user is to come from an identity provider: there are none */
export function refuseFederation(federated: unknown): void {
  const first = (federated as { idp_id: string }[] | undefined)?.[0];
  if (first) throw badRequest(`Could not find Identity Provider: ${first.idp_id}`);
}

const operators = ['eq', 'neq', 'lt', 'lte', 'gt', 'gte'];

/** Checks filters such as `lt:2026-11-20T00:00:00Z`. @throws 400 */
export function expiryMatches(filters: readonly string[]): void {
  for (const filter of filters) {
    const [operator = '', ...rest] = filter.includes(':') && /^[a-z]+:/i.test(filter) ? filter.split(':') : ['eq', filter];
    if (!operators.includes(operator)) {
      throw badRequest(
        `The given operator ${operator} is not valid. It must be one of the following: 'eq', 'neq', 'lt', 'lte', 'gt', or 'gte'.`,
      );
    }
    if (parseTime(rest.join(':')) === undefined) {
      throw badRequest(
        'Timestamp not in expected format. The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.',
      );
    }
  }
}

/** Deletes a user with all that hangs on it. */
export async function removeUser(db: Db, id: string): Promise<void> {
  await deleteAssignmentsOfActor(db, 'user', id);
  await deleteCredentialsOf(db, { userId: id });
  await deleteApplicationCredentialsOf(db, id);
  await deleteAccessRulesOf(db, id);
  await deleteTrustsOfUser(db, id);
  await deleteUser(db, id);
}

/** Deletes a group with its grants, and ends the tokens of those who were in it. */
export async function removeGroup(db: Db, id: string): Promise<void> {
  await endUserTokens(db, await memberIds(db, id));
  await deleteAssignmentsOfActor(db, 'group', id);
  await deleteGroup(db, id);
}
