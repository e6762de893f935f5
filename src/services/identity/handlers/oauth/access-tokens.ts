// The access tokens that a user has authorized. Upstream: keystone/api/users.py.
import { notFound } from '../../../../kernel/errors.ts';
import { noContent, ok } from '../../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';
import {
  deleteAccessToken,
  refuseDelegated,
  requireAccessToken,
} from '../../domain/oauth/tokens.ts';
import { found, missing, unauthenticated } from '../../domain/refusals.ts';
import type { AccessToken } from '../../model.ts';
import { findRole } from '../../store/assignment/roles.ts';
import { listAccessTokens } from '../../store/oauth/tokens.ts';
import { wrapped } from '../../views/links.ts';
import { accessTokenRoleView, accessTokenView } from '../../views/oauth/oauth.ts';
import { enforce, tokenOf } from '../requests.ts';

/** GET /v3/users/{user_id}/OS-OAUTH1/access_tokens */
export async function list(call: Call): Promise<Reply> {
  enforce(call, 'list_access_tokens');
  refuseDelegated(tokenOf(call));
  const tokens = await listAccessTokens(call.db, call.params['user_id']!);
  return ok(
    wrapped(
      call,
      'access_tokens',
      tokens.map((token) => accessTokenView(call, token)),
    ),
  );
}

/** GET /v3/users/{user_id}/OS-OAUTH1/access_tokens/{access_token_id} */
export async function show(call: Call): Promise<Reply> {
  enforce(call, 'get_access_token');
  refuseDelegated(tokenOf(call));
  return ok({ access_token: accessTokenView(call, await findOwn(call)) });
}

/** DELETE /v3/users/{user_id}/OS-OAUTH1/access_tokens/{access_token_id} */
export async function remove(call: Call): Promise<Reply> {
  // Upstream enforces this rule, without a target, instead of delete_access_token.
  enforce(call, 'ec2_delete_credential');
  refuseDelegated(tokenOf(call));
  const token = await requireAccessToken(call, call.params['access_token_id']!);
  await deleteAccessToken(call, call.params['user_id']!, token);
  return noContent();
}

/** GET /v3/users/{user_id}/OS-OAUTH1/access_tokens/{access_token_id}/roles */
export async function listRoles(call: Call): Promise<Reply> {
  enforce(call, 'list_access_token_roles');
  const { roleIds } = await findOwn(call);
  const views = [];
  for (const id of roleIds)
    views.push(accessTokenRoleView(call, found(await findRole(call.db, id), 'role', id)));
  return ok(wrapped(call, 'roles', views));
}

/** GET /v3/users/{user_id}/OS-OAUTH1/access_tokens/{access_token_id}/roles/{role_id} */
export async function showRole(call: Call): Promise<Reply> {
  enforce(call, 'get_access_token_role');
  const token = await requireAccessToken(call, call.params['access_token_id']!);
  if (token.userId !== call.params['user_id']) throw unauthenticated();
  const id = call.params['role_id']!;
  const role = token.roleIds.includes(id) ? await findRole(call.db, id) : undefined;
  if (!role) throw missing('role', id);
  return ok({ role: accessTokenRoleView(call, role) });
}

/** The access token in the path. @throws 404 if it is missing, or of another user */
async function findOwn(call: Call): Promise<AccessToken> {
  const token = await requireAccessToken(call, call.params['access_token_id']!);
  // Upstream does not say what it could not find.
  if (token.userId !== call.params['user_id']) throw notFound('Could not find: %(target)s.');
  return token;
}
