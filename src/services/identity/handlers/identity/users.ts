// Users: listed, shown, created, updated and deleted.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import { normalized } from '../../domain/attributes.ts';
import {
  changePassword as replacePassword,
  checkExpiryFilters,
  createUser,
  deleteUser,
  updateUser,
} from '../../domain/identity/users.ts';
import type { User } from '../../model.ts';
import { found } from '../../domain/refusals.ts';
import { findUser, listUsers } from '../../store/identity/users.ts';
import { userView } from '../../views/identity/users.ts';
import { listReply } from '../lists.ts';
import { allow, bodyOf, domainScope, homeDomain, inDomainScope } from '../requests.ts';
import { hashedSecret } from '../secrets.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** GET /v3/users */
export async function list(call: Call): Promise<Reply> {
  const { query } = call;
  checkExpiryFilters(query.all('password_expires_at'));
  allow(call, 'list_users', { domainId: domainScope(call) });
  const filter = { name: query.last('name'), domainId: query.last('domain_id') };
  // No user comes from an identity provider, and no password expires.
  const isEmpty = ['idp_id', 'protocol_id', 'unique_id', 'password_expires_at'].some((name) =>
    query.has(name),
  );
  const users = isEmpty
    ? []
    : inDomainScope(call, await listUsers(call.db, filter), (user) => user.domainId);
  return listReply(
    call,
    'users',
    users.map((user) => userView(call, user)),
    ['domain_id', 'enabled', 'name'],
  );
}

/** POST /v3/users */
export async function create(call: Call): Promise<Reply> {
  const fields = normalized(bodyOf(call, 'user'));
  allow(call, 'create_user', { user: { id: '', domainId: fields['domain_id'] as string } });
  const passwordHash = hashedSecret(call)?.hash ?? null;
  const user = await createUser(call, fields, { homeDomainId: homeDomain(call), passwordHash });
  return created({ user: userView(call, user) });
}

/** GET /v3/users/{user_id} */
export async function show(call: Call): Promise<Reply> {
  return ok({ user: userView(call, await target(call, 'get_user')) });
}

/** PATCH /v3/users/{user_id} */
export async function update(call: Call): Promise<Reply> {
  const user = await updateUser(
    call,
    await target(call, 'update_user'),
    bodyOf(call, 'user'),
    hashedSecret(call)?.hash,
  );
  return ok({ user: userView(call, user) });
}

/** DELETE /v3/users/{user_id} */
export async function remove(call: Call): Promise<Reply> {
  await deleteUser(call, (await target(call, 'delete_user')).id);
  return noContent();
}

/**
 * POST /v3/users/{user_id}/password; the old password authenticates, so that no token is needed.
 */
export async function changePassword(call: Call): Promise<Reply> {
  const { original_password: original, password } = bodyOf(call, 'user') as Record<string, string>;
  await replacePassword(call, call.params['user_id']!, original!, password!);
  return noContent();
}

/**
 * The user in the path. Policy is enforced before a user that does not exist is a 404, as upstream.
 */
async function target(call: Call, rule: string): Promise<User> {
  const id = call.params['user_id']!;
  const user = await findUser(call.db, id);
  allow(call, rule, { user });
  return found(user, 'user', id);
}
