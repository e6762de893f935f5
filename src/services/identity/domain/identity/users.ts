// Creates, updates and deletes users. Upstream: keystone/identity/core.py.
import { parseTime } from '../../../../kernel/clock.ts';
import { bumpAuthRevision } from '../../../../kernel/db/state.ts';
import { transact } from '../../../../kernel/db/transaction.ts';
import { badRequest } from '../../../../kernel/errors.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import { deleteAccessRulesOf } from '../../store/application-credential/access-rules.ts';
import * as credentialStore from '../../store/application-credential/application-credentials.ts';
import { deleteAssignmentsOfActor } from '../../store/assignment/assignments.ts';
import { deleteCredentialsOf } from '../../store/credential/credentials.ts';
import { deleteFailures } from '../../store/identity/failed-sign-ins.ts';
import * as store from '../../store/identity/users.ts';
import { findProject } from '../../store/resource/projects.ts';
import { deleteTrustsOfUser } from '../../store/trust/trusts.ts';
import {
  booleanOf,
  extraOf,
  mergedOptions,
  optionalText,
  refuseIdChange,
  textOf,
  updatedText,
  type Fields,
} from '../attributes.ts';
import type { User } from '../../model.ts';
import {
  checkLength,
  duplicate,
  malformed,
  unauthenticated,
  refuseOnDuplicate,
} from '../refusals.ts';
import { requireDomain } from '../resource/project-tree.ts';
import { checkPassword } from './lockout.ts';
import { hashPassword } from './passwords.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Context } from '../../../../kernel/model.ts';

const apiAttributes = [
  'id',
  'name',
  'domain_id',
  'enabled',
  'default_project_id',
  'password',
  'password_expires_at',
  'options',
  'links',
  'federated',
];

/** Creates a user, in `fallbackDomainId` if the request names no domain. @throws 400, 404, 409 */
export async function createUser(
  { db }: Context,
  fields: Fields,
  {
    fallbackDomainId,
    passwordHash,
  }: { readonly fallbackDomainId: string; readonly passwordHash: string | null },
): Promise<User> {
  refuseFederation(fields['federated']);
  const user: User = {
    id: newHexId(),
    name: textOf(fields, 'name').trim(),
    domainId: optionalText(fields, 'domain_id') ?? fallbackDomainId,
    enabled: booleanOf(fields['enabled'] ?? true),
    defaultProjectId: optionalText(fields, 'default_project_id') ?? null,
    passwordHash,
    options: mergedOptions({}, fields['options']),
    extra: extraOf(fields, apiAttributes),
    tokenEpoch: 0,
  };
  await requireDomain(db, user.domainId);
  await refuseDomainAsDefault(db, user.defaultProjectId);
  checkLength('default_project_id', user.defaultProjectId, 64);
  await refuseOnDuplicate(store.insertUser(db, user), () => duplicateName(user));
  return user;
}

/**
 * Updates a user. Changing the password or disabling the user ends the user's tokens.
 * @throws 400, 409
 */
export async function updateUser(
  { db }: Context,
  user: User,
  fields: Fields,
  newHash: string | undefined,
): Promise<User> {
  refuseIdChange(fields, user);
  refuseFederation(fields['federated']);
  const next = changed(user, fields, newHash);
  if ('default_project_id' in fields) await refuseDomainAsDefault(db, next.defaultProjectId);
  checkLength('default_project_id', next.defaultProjectId, 64);
  await refuseOnDuplicate(store.updateUser(db, next), () => duplicateName(next));
  // Any update of an enabled user unlocks the account, as upstream (sql_model.py, User.enabled).
  if (next.enabled) await deleteFailures(db, next.id);
  await bumpAuthRevision(db);
  return next;
}

function changed(user: User, fields: Fields, newHash: string | undefined): User {
  const enabled = 'enabled' in fields ? booleanOf(fields['enabled']) : user.enabled;
  const endsTokens = (user.enabled && !enabled) || newHash !== undefined;
  return {
    ...user,
    name: 'name' in fields ? textOf(fields, 'name').trim() : user.name,
    enabled,
    defaultProjectId: updatedText(fields, 'default_project_id', user.defaultProjectId),
    passwordHash: 'password' in fields ? (newHash ?? null) : user.passwordHash,
    options: mergedOptions(user.options, fields['options']),
    extra: { ...user.extra, ...extraOf(fields, apiAttributes) },
    tokenEpoch: user.tokenEpoch + Number(endsTokens),
  };
}

const duplicateName = (user: User) => duplicate('user', user.name, user.domainId);

/**
 * @throws 400 if the default project is a domain; a project that does not exist is accepted, as
 *   upstream
 */
async function refuseDomainAsDefault(db: Db, projectId: string | null): Promise<void> {
  const project = projectId ? await findProject(db, projectId) : undefined;
  if (project?.isDomain)
    throw badRequest(`User's default project ID cannot be a domain ID: ${projectId}`);
}

/** @throws 400 if the user belongs to an identity provider, because none exists */
function refuseFederation(federated: unknown): void {
  const first = (federated as { idp_id: string }[] | undefined)?.[0];
  if (first) throw badRequest(`Could not find Identity Provider: ${first.idp_id}`);
}

/**
 * Changes a password, authenticated by the old password. It opens its transaction itself, after the
 * slow hashing.
 * @throws 400, 401
 */
export async function changePassword(
  context: Context,
  userId: string,
  original: string,
  password: string,
): Promise<void> {
  const { db, cloud } = context;
  const user = await store.findUser(db, userId);
  const domain = user && (await findProject(db, user.domainId));
  if (!user?.enabled || !domain?.enabled) throw unauthenticated();
  await checkPassword(context, user, original);
  if (user.options['lock_password']) {
    throw badRequest(
      'You cannot change your password at this time due to password policy ' +
        'disallowing password changes. Please contact your administrator to reset your ' +
        'password.',
    );
  }
  const passwordHash = await hashPassword(password);
  await transact(db, async (trx) => {
    await store.updateUser(trx, { ...user, passwordHash, tokenEpoch: user.tokenEpoch + 1 });
    await bumpAuthRevision(trx);
  });
  cloud.sharedState.invalidate();
}

/** Deletes a user. */
export async function deleteUser({ db }: Context, { id }: User): Promise<void> {
  await discardUser(db, id);
  await bumpAuthRevision(db);
}

/** Deletes a user with its assignments, credentials and trusts. */
export async function discardUser(db: Db, id: string): Promise<void> {
  await deleteAssignmentsOfActor(db, 'user', id);
  await deleteCredentialsOf(db, { userId: id });
  await credentialStore.deleteApplicationCredentialsOf(db, id);
  await deleteAccessRulesOf(db, id);
  await deleteTrustsOfUser(db, id);
  await store.deleteUser(db, id);
}

const operators = ['eq', 'neq', 'lt', 'lte', 'gt', 'gte'];

/** Checks filters by `password_expires_at`, such as `lt:2026-11-20T00:00:00Z`. @throws 400 */
export function checkExpiryFilters(filters: readonly string[]): void {
  for (const filter of filters) {
    const [operator = '', ...rest] =
      filter.includes(':') && /^[a-z]+:/i.test(filter) ? filter.split(':') : ['eq', filter];
    if (!operators.includes(operator)) {
      throw badRequest(
        `The given operator ${operator} is not valid. It must be one of the following: ` +
          "'eq', 'neq', 'lt', 'lte', 'gt', or 'gte'.",
      );
    }
    if (parseTime(rest.join(':')) === undefined)
      throw badRequest(`Timestamp not in expected format. ${malformed}`);
  }
}
