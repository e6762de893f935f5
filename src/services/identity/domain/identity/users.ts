// Creates, updates and deletes users. Upstream: keystone/identity/core.py.
import { isDeepStrictEqual } from 'node:util';
import { parseTime, type Micros } from '../../../../kernel/clock.ts';
import { inCentralTransaction } from '../../../../kernel/context.ts';
import { bumpAuthRevision } from '../../../../kernel/db/state.ts';
import { badRequest } from '../../../../kernel/errors.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import { deleteAccessRulesOf } from '../../store/application-credential/access-rules.ts';
import * as credentialStore from '../../store/application-credential/application-credentials.ts';
import { deleteAssignmentsOfActor } from '../../store/assignment/assignments.ts';
import { deleteCredentialsOf } from '../../store/credential/credentials.ts';
import { deleteFailures } from '../../store/identity/failed-sign-ins.ts';
import * as store from '../../store/identity/users.ts';
import { deleteOAuthTokensOf } from '../../store/oauth/tokens.ts';
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
import { recordRevocations } from '../auth/revocation-events.ts';
import { requireDomain } from '../resource/project-tree.ts';
import { federatedNames, replaceFederatedNames } from '../federation/user-names.ts';
import { activeUser, isEnabled, isEnabledNow, renewed } from './inactivity.ts';
import { checkPassword } from './lockout.ts';
import { checkAge, checkHistory, checkRequirements, newPassword } from './password-rules.ts';
import { hashPassword } from './passwords.ts';
import { loadSettings } from '../settings.ts';
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
  { db, now }: Context,
  fields: Fields,
  {
    fallbackDomainId,
    passwordHash,
  }: { readonly fallbackDomainId: string; readonly passwordHash: string | null },
): Promise<User> {
  const settings = await loadSettings({ db });
  if ('password' in fields) checkRequirements(settings, fields['password']);
  const federated = await federatedNames(db, fields);
  const named = {
    id: newHexId(),
    name: textOf(fields, 'name').trim(),
    domainId: optionalText(fields, 'domain_id') ?? fallbackDomainId,
    enabled: booleanOf(fields['enabled'] ?? true),
    defaultProjectId: optionalText(fields, 'default_project_id') ?? null,
    passwordHash: null,
    previousHashes: null,
    createdAt: now,
    lastActiveAt: null,
    isLocal: true,
    options: mergedOptions({}, fields['options']),
    extra: extraOf(fields, apiAttributes),
    tokenEpoch: 0,
  };
  const user: User = {
    ...renewed(named, settings, now),
    ...newPassword(settings, named, passwordHash, now, 'administrator'),
  };
  await requireDomain(db, user.domainId);
  await refuseDomainAsDefault(db, user.defaultProjectId);
  checkLength('default_project_id', user.defaultProjectId, 64);
  await refuseOnDuplicate(store.insertUser(db, user), () => duplicateName(user));
  await replaceFederatedNames(db, user.id, federated);
  return user;
}

/**
 * Updates a user. Changing the password or disabling the user ends the user's tokens.
 * @throws 400, 409
 */
export async function updateUser(
  context: Context,
  user: User,
  fields: Fields,
  newHash: string | undefined,
): Promise<User> {
  const { db, now } = context;
  const settings = await loadSettings({ db });
  refuseIdChange(fields, user);
  if ('password' in fields) checkRequirements(settings, fields['password']);
  const federated = await federatedNames(db, fields);
  const current = { ...user, enabled: isEnabled(user, settings, now) };
  const changes = renewed(changed(current, fields, newHash !== undefined), settings, now);
  const next =
    'password' in fields
      ? { ...changes, ...newPassword(settings, changes, newHash ?? null, now, 'administrator') }
      : changes;
  if ('default_project_id' in fields) await refuseDomainAsDefault(db, next.defaultProjectId);
  checkLength('default_project_id', next.defaultProjectId, 64);
  await refuseOnDuplicate(store.updateUser(db, next), () => duplicateName(next));
  await replaceFederatedNames(db, user.id, federated);
  // Any update of an enabled user unlocks the account, as upstream (sql_model.py, User.enabled).
  if (next.enabled) await deleteFailures(db, next.id);
  if (next.tokenEpoch !== user.tokenEpoch) await recordRevocations(context, { userId: user.id });
  await bumpAuthRevision(db);
  return next;
}

/** A user with all changes but that of the password. */
function changed(user: User, fields: Fields, hasNewPassword: boolean): User {
  const enabled = 'enabled' in fields ? booleanOf(fields['enabled']) : user.enabled;
  const endsTokens = (user.enabled && !enabled) || hasNewPassword;
  return {
    ...user,
    name: 'name' in fields ? textOf(fields, 'name').trim() : user.name,
    enabled,
    defaultProjectId: updatedText(fields, 'default_project_id', user.defaultProjectId),
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

/**
 * Changes a password, authenticated by the old password. It opens its transaction itself, after the
 * slow hashing. If the user has changed by then, it checks everything again.
 * @throws 400, 401
 */
export async function changePassword(
  context: Context,
  userId: string,
  original: string,
  password: string,
): Promise<void> {
  let newHash: string | undefined;
  for (let isChanged = false; !isChanged;) {
    const user = await requireOwnPassword(context, userId, original, password);
    newHash ??= await hashPassword(password);
    isChanged = await replacePassword(context, user, newHash);
  }
}

/**
 * The user, who may change the password to the new one.
 * @throws 400 if the rules for passwords refuse the new one; 401 if the old one is wrong
 */
async function requireOwnPassword(
  context: Context,
  userId: string,
  original: string,
  password: string,
): Promise<User> {
  const { db } = context;
  const user = await store.findUser(db, userId);
  const domain = user && (await findProject(db, user.domainId));
  if (!user || !(await isEnabledNow(context, user)) || !domain?.enabled) throw unauthenticated();
  await checkPassword(context, user, original, { evenExpired: true });
  const settings = await loadSettings({ db });
  checkRequirements(settings, password);
  if (user.options['lock_password']) {
    throw badRequest(
      'You cannot change your password at this time due to password policy ' +
        'disallowing password changes. Please contact your administrator to reset your ' +
        'password.',
    );
  }
  checkAge(settings, user, context.now);
  await checkHistory(settings, user, password);
  return activeUser(user, context.now);
}

/** Stores a new password. @returns false if the user has changed since it was read */
const replacePassword = (context: Context, user: User, newHash: string): Promise<boolean> =>
  inCentralTransaction(context, async (central) => {
    const { db, now } = central;
    if (!isDeepStrictEqual(await store.findUser(db, user.id), user)) return false;
    const stored = newPassword(await loadSettings({ db }), user, newHash, now, 'user');
    await store.updateUser(db, { ...user, ...stored, tokenEpoch: user.tokenEpoch + 1 });
    await recordRevocations(central, { userId: user.id });
    await bumpAuthRevision(db);
    return true;
  });

/** Deletes a user. */
export async function deleteUser(context: Context, { id }: User): Promise<void> {
  await discardUser(context, id);
  await bumpAuthRevision(context.db);
}

/** Deletes a user with its assignments, credentials and trusts. */
export async function discardUser(context: Context, id: string): Promise<void> {
  const { db } = context;
  await deleteAssignmentsOfActor(db, 'user', id);
  await deleteCredentialsOf(db, { userId: id });
  await credentialStore.deleteApplicationCredentialsOf(db, id);
  await deleteAccessRulesOf(db, id);
  await deleteTrustsOfUser(db, id);
  await deleteOAuthTokensOf(db, { userId: id });
  await store.deleteUser(db, id);
  await recordRevocations(context, { userId: id });
}

const operators: ReadonlyMap<string, (time: Micros, limit: Micros) => boolean> = new Map([
  ['eq', (time: Micros, limit: Micros) => time === limit],
  ['neq', (time: Micros, limit: Micros) => time !== limit],
  ['lt', (time: Micros, limit: Micros) => time < limit],
  ['lte', (time: Micros, limit: Micros) => time <= limit],
  ['gt', (time: Micros, limit: Micros) => time > limit],
  ['gte', (time: Micros, limit: Micros) => time >= limit],
]);

/**
 * Parses filters by `password_expires_at`, such as `lt:2026-11-20T00:00:00Z`. Passwords that do not
 * expire match none.
 * @returns the predicate for users who match all filters @throws 400
 */
export function expiryFilter(filters: readonly string[]): (user: User) => boolean {
  const conditions = filters.map((filter) => {
    const [operator = '', ...rest] =
      filter.includes(':') && /^[a-z]+:/i.test(filter) ? filter.split(':') : ['eq', filter];
    const compare = operators.get(operator);
    if (!compare) {
      throw badRequest(
        `The given operator ${operator} is not valid. It must be one of the following: ` +
          "'eq', 'neq', 'lt', 'lte', 'gt', or 'gte'.",
      );
    }
    const limit = parseTime(rest.join(':'));
    if (limit === undefined) throw badRequest(`Timestamp not in expected format. ${malformed}`);
    return (time: Micros): boolean => compare(time, limit);
  });
  return ({ passwordExpiresAt: time }) =>
    conditions.every((matches) => time !== null && matches(time));
}
