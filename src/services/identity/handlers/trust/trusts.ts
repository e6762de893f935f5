// Trusts: a trustor delegates roles on a project to a trustee. Upstream: keystone/api/trusts.py.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import type { RoleReference } from '../../domain/assignment/role-references.ts';
import { extraOf, nullableText, textOf, type Fields } from '../../domain/attributes.ts';
import type { Trust } from '../../model.ts';
import { forbiddenAction, missing } from '../../domain/refusals.ts';
import {
  createTrust,
  deleteTrust,
  refuseApplicationCredential,
  validTrust,
  type TrustRequest,
} from '../../domain/trust/trusts.ts';
import { findRole, listRoles as listAllRoles } from '../../store/assignment/roles.ts';
import { listTrusts } from '../../store/trust/trusts.ts';
import { roleView } from '../../views/assignment/roles.ts';
import { wrapped } from '../../views/links.ts';
import { fullTrustView, rolesLinks, trustRoles, trustView } from '../../views/trust/trusts.ts';
import { bodyOf, enforce, tokenOf } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

const apiAttributes = [
  'id',
  'trustor_user_id',
  'trustee_user_id',
  'project_id',
  'impersonation',
  'expires_at',
  'remaining_uses',
  'deleted_at',
  'redelegated_trust_id',
  'redelegation_count',
  'allow_redelegation',
  'roles',
  'links',
  'roles_links',
];

/**
 * GET /v3/OS-TRUST/trusts; the filter by trustor overrides the filter by trustee, and the list is
 * empty with any other filter.
 */
export async function list(call: Call): Promise<Reply> {
  const trustorUserId = call.query.first('trustor_user_id') || undefined;
  const trusteeUserId = call.query.first('trustee_user_id') || undefined;
  if (trustorUserId) enforce(call, 'list_trusts_for_trustor', { trust: { trustorUserId } });
  else if (trusteeUserId) enforce(call, 'list_trusts_for_trustee', { trust: { trusteeUserId } });
  else enforce(call, 'list_trusts');
  refuseApplicationCredential(tokenOf(call));
  const filter = trustorUserId ? { trustorUserId } : { trusteeUserId };
  const isEmpty = !trustorUserId && !trusteeUserId && call.query.entries().length > 0;
  const trusts = isEmpty ? [] : await listTrusts(call.db, filter);
  return ok(
    wrapped(
      call,
      'trusts',
      trusts.map((trust) => trustView(call, trust)),
    ),
  );
}

/** POST /v3/OS-TRUST/trusts */
export async function create(call: Call): Promise<Reply> {
  const request = requestOf(bodyOf(call, 'trust'));
  const token = tokenOf(call);
  enforce(call, 'create_trust', { trust: { trustorUserId: request.trustorUserId } });
  refuseApplicationCredential(token);
  if (request.projectId && !request.roles.length)
    throw forbiddenAction('At least one role should be specified');
  if (call.caller!.userId !== request.trustorUserId)
    throw forbiddenAction('The authenticated user should match the trustor');
  if (token?.accessToken) throw forbiddenAction('Redelegation allowed for delegated by trust only');
  const trust = await createTrust(call, request, token?.trust?.id);
  return created({ trust: fullTrustView(call, trust, await listAllRoles(call.db)) });
}

const requestOf = (fields: Fields): TrustRequest => ({
  trustorUserId: textOf(fields, 'trustor_user_id'),
  trusteeUserId: textOf(fields, 'trustee_user_id'),
  projectId: nullableText(fields, 'project_id') || null,
  impersonation: fields['impersonation'] as boolean,
  roles: (fields['roles'] ?? []) as RoleReference[],
  expiresAt: nullableText(fields, 'expires_at'),
  remainingUses: fields['remaining_uses'] as number | null | undefined,
  redelegatedTrustId: nullableText(fields, 'redelegated_trust_id'),
  allowRedelegation: Boolean(fields['allow_redelegation']),
  redelegationCount: fields['redelegation_count'] as number | null | undefined,
  extra: extraOf(fields, apiAttributes),
});

/** GET /v3/OS-TRUST/trusts/{trust_id} */
export async function show(call: Call): Promise<Reply> {
  const trust = await findAuthorized(call, 'get_trust');
  return ok({ trust: fullTrustView(call, trust, await listAllRoles(call.db)) });
}

/**
 * DELETE /v3/OS-TRUST/trusts/{trust_id}; also deletes its redelegations, and ends all tokens for
 * them.
 */
export async function remove(call: Call): Promise<Reply> {
  await deleteTrust(call, await findAuthorized(call, 'delete_trust'));
  return noContent();
}

/** GET /v3/OS-TRUST/trusts/{trust_id}/roles */
export async function listRoles(call: Call): Promise<Reply> {
  const trust = await findAuthorized(call, 'list_roles_for_trust');
  return ok({
    roles: trustRoles(call, trust, await listAllRoles(call.db)),
    links: rolesLinks(call, trust),
  });
}

/** GET /v3/OS-TRUST/trusts/{trust_id}/roles/{role_id} */
export async function showRole(call: Call): Promise<Reply> {
  const trust = await findAuthorized(call, 'get_role_for_trust');
  const id = call.params['role_id']!;
  const role = trust.roleIds.includes(id) ? await findRole(call.db, id) : undefined;
  if (!role) throw missing('role', id);
  return ok({ role: roleView(call, role) });
}

/**
 * The trust in the path. A missing or invalid trust is a 404 before policy is enforced, as
 * upstream.
 */
async function findAuthorized(call: Call, rule: string): Promise<Trust> {
  const trust = await validTrust(call, call.params['trust_id']!);
  enforce(call, rule, { trust });
  refuseApplicationCredential(tokenOf(call));
  return trust;
}
