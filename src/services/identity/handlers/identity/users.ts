// Users: those who sign in.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import { isDuplicate } from '../../../../kernel/db/errors.ts';
import { bumpAuthRevision } from '../../../../kernel/db/state.ts';
import { transact } from '../../../../kernel/db/transaction.ts';
import { badRequest } from '../../../../kernel/fault.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import { hashPassword, passwordMatches } from '../../domain/identity/passwords.ts';
import type { User } from '../../domain/records.ts';
import { checkLength, duplicate, found, unauthenticated } from '../../domain/refusals.ts';
import { expiryMatches, refuseDomainAsDefault, refuseFederation, removeUser } from '../../domain/identity/users.ts';
import { findProject } from '../../store/resource/projects.ts';
import { findUser, insertUser, listUsers, updateUser } from '../../store/identity/users.ts';
import { listReply } from '../../views/links.ts';
import { userView } from '../../views/identity/users.ts';
import { allow, bodyOf, domainScope, extraOf, type Fields, homeDomain, inDomainScope, mergedOptions, normalized, refuseMove, textOf, truth } from '../requests.ts'; // prettier-ignore
import { hashedSecret } from '../secrets.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

const known = [
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

/** GET /v3/users */
export async function list(call: Call): Promise<Reply> {
  const { query } = call;
  expiryMatches(query.all('password_expires_at'));
  allow(call, 'list_users', { domainId: domainScope(call) });
  const filter = { name: query.last('name'), domainId: query.last('domain_id') };
  // Nobody comes from an identity provider, and no password expires.
  const none = ['idp_id', 'protocol_id', 'unique_id', 'password_expires_at'].some((name) => query.has(name));
  const users = none ? [] : inDomainScope(call, await listUsers(call.db, filter), (user) => user.domainId);
  return listReply(
    call,
    'users',
    users.map((user) => userView(call, user)),
    ['domain_id', 'enabled', 'name'],
  );
}

/** POST /v3/users */
export async function create(call: Call): Promise<Reply> {
  const given = bodyOf(call, 'user');
  allow(call, 'create_user', { user: { id: '', domainId: given['domain_id'] as string } });
  const fields = normalized(given);
  refuseFederation(fields['federated']);
  const user: User = {
    id: newHexId(),
    name: textOf(fields, 'name').trim(),
    domainId: (fields['domain_id'] as string | undefined) ?? homeDomain(call),
    enabled: truth(fields['enabled'] ?? true),
    defaultProjectId: (fields['default_project_id'] as string | undefined) ?? null,
    passwordHash: hashedSecret(call)?.hash ?? null,
    options: mergedOptions({}, fields['options']),
    extra: extraOf(fields, known),
    tokenEpoch: 0,
  };
  const domain = await findProject(call.db, user.domainId);
  found(domain?.isDomain ? domain : undefined, 'domain', user.domainId);
  await refuseDomainAsDefault(call.db, user.defaultProjectId);
  await unique(user, () => insertUser(call.db, user));
  return created({ user: userView(call, user) });
}

/** GET /v3/users/{user_id} */
export async function show(call: Call): Promise<Reply> {
  const user = await target(call, 'get_user');
  return ok({ user: userView(call, user) });
}

/** PATCH /v3/users/{user_id} */
export async function update(call: Call): Promise<Reply> {
  const user = await target(call, 'update_user');
  const fields = bodyOf(call, 'user');
  refuseMove(fields, user);
  refuseFederation(fields['federated']);
  const next = changed(user, fields, hashedSecret(call)?.hash);
  if ('default_project_id' in fields) await refuseDomainAsDefault(call.db, next.defaultProjectId);
  await unique(next, () => updateUser(call.db, next));
  await bumpAuthRevision(call.db);
  return ok({ user: userView(call, next) });
}

/** A new password, or being disabled, ends the tokens of the user. */
function changed(user: User, fields: Fields, hash: string | undefined): User {
  const enabled = 'enabled' in fields ? truth(fields['enabled']) : user.enabled;
  const ends = (user.enabled && !enabled) || hash !== undefined;
  return {
    ...user,
    name: 'name' in fields ? textOf(fields, 'name').trim() : user.name,
    enabled,
    defaultProjectId: 'default_project_id' in fields ? (fields['default_project_id'] as string | null) : user.defaultProjectId,
    passwordHash: 'password' in fields ? (hash ?? null) : user.passwordHash,
    options: mergedOptions(user.options, fields['options']),
    extra: { ...user.extra, ...extraOf(fields, known) },
    tokenEpoch: user.tokenEpoch + Number(ends),
  };
}

/** DELETE /v3/users/{user_id} */
export async function remove(call: Call): Promise<Reply> {
  const user = await target(call, 'delete_user');
  await removeUser(call.db, user.id);
  await bumpAuthRevision(call.db);
  return noContent();
}

/** POST /v3/users/{user_id}/password; without a token, by the old password. */
export async function changePassword(call: Call): Promise<Reply> {
  const { original_password: old, password } = bodyOf(call, 'user') as Record<string, string>;
  const user = await findUser(call.db, call.params['user_id']!);
  const domain = user && (await findProject(call.db, user.domainId));
  if (!user?.enabled || !domain?.enabled || !(await passwordMatches(user.passwordHash, old!))) throw unauthenticated();
  if (user.options['lock_password']) {
    throw badRequest(
      'You cannot change your password at this time due to password policy disallowing password changes. Please contact your administrator to reset your password.',
    );
  }
  const passwordHash = await hashPassword(password!);
  await transact(call.db, async (db) => {
    await updateUser(db, { ...user, passwordHash, tokenEpoch: user.tokenEpoch + 1 });
    await bumpAuthRevision(db);
  });
  call.cloud.shared.forget();
  return noContent();
}

/** Policy is asked about a user that there may not be; only then it is said that there is none. */
async function target(call: Call, rule: string): Promise<User> {
  const id = call.params['user_id']!;
  const user = await findUser(call.db, id);
  allow(call, rule, { user });
  return found(user, 'user', id);
}

async function unique(user: User, write: () => Promise<void>): Promise<void> {
  checkLength('default_project_id', user.defaultProjectId, 64);
  try {
    await write();
  } catch (error) {
    throw isDuplicate(error) ? duplicate('user', user.name, user.domainId) : error;
  }
}
