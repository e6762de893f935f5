// Users, and changing one's own password.
import { plainHandlers, type OperationName } from '../../../../kernel/http/plain-resource.ts';
import { noContent } from '../../../../kernel/http/reply.ts';
import { normalized, textOf, type Fields } from '../../domain/attributes.ts';
import {
  changePassword as replacePassword,
  createUser,
  deleteUser,
  expiryFilter,
  updateUser,
} from '../../domain/identity/users.ts';
import { isEnabledNow } from '../../domain/identity/inactivity.ts';
import type { User } from '../../model.ts';
import { found } from '../../domain/refusals.ts';
import { listFederatedUsers } from '../../store/federation/federated-users.ts';
import { findUser, listUsers } from '../../store/identity/users.ts';
import { userWithNames } from '../../views/identity/users.ts';
import { ruleOf } from '../plain.ts';
import { bodyOf, enforce, domainScope, fallbackDomain, inDomainScope } from '../requests.ts';
import { hashedSecret } from '../secrets.ts';
import { usersBody } from './user-lists.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** The operations of /v3/users. */
export const { list, show, create, update, remove } = plainHandlers<Call, User, Fields>({
  fields: (call, operation) =>
    operation === 'create' ? normalized(bodyOf(call, 'user')) : bodyOf(call, 'user'),
  async list(call) {
    const { query } = call;
    const hasExpiry = expiryFilter(query.all('password_expires_at'));
    enforce(call, 'list_users', { domainId: domainScope(call) });
    const filter = { name: query.last('name'), domainId: query.last('domain_id') };
    const isNamed = await federationFilter(call);
    const users = (await listUsers(call.db, filter)).filter(
      (user) => hasExpiry(user) && isNamed(user),
    );
    return inDomainScope(call, users, (user) => user.domainId);
  },
  listBody: usersBody,
  body: async (call, user) => {
    const current = { ...user, enabled: await isEnabledNow(call, user) };
    const names = await listFederatedUsers(call.db, { userId: user.id });
    return { user: userWithNames(call, current, names) };
  },
  find: findAuthorized,
  create(call, fields) {
    enforce(call, 'create_user', { user: { id: '', domainId: textOf(fields, 'domain_id') } });
    const passwordHash = hashedSecret(call)?.hash ?? null;
    return createUser(call, fields, { fallbackDomainId: fallbackDomain(call), passwordHash });
  },
  update: (call, user, fields) => updateUser(call, user, fields, hashedSecret(call)?.hash),
  remove: deleteUser,
});

/** Whether a user has a name at an identity provider that matches the query. */
async function federationFilter({ db, query }: Call): Promise<(user: User) => boolean> {
  const names = ['idp_id', 'protocol_id', 'unique_id'];
  if (!names.some((name) => query.has(name))) return () => true;
  const [providerId, protocolId, uniqueId] = names.map((name) => query.last(name));
  const found = await listFederatedUsers(db, { providerId, protocolId, uniqueId });
  const ids = new Set(found.map(({ userId }) => userId));
  return ({ id }) => ids.has(id);
}

/** The user in the path. Policy is enforced before a missing user is a 404, as upstream. */
async function findAuthorized(call: Call, operation: OperationName): Promise<User> {
  const id = call.params['user_id']!;
  const user = await findUser(call.db, id);
  enforce(call, ruleOf(operation, 'user'), { user });
  return found(user, 'user', id);
}

/**
 * POST /v3/users/{user_id}/password; needs no token, because the old password authenticates.
 */
export async function changePassword(call: Call): Promise<Reply> {
  const { original_password: original, password } = bodyOf(call, 'user') as Record<string, string>;
  await replacePassword(call, call.params['user_id']!, original!, password!);
  return noContent();
}
