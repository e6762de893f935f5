// Trusts: what one user lets another do on a project. Upstream: keystone/api/trusts.py.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import { isDuplicate } from '../../../../kernel/db/errors.ts';
import { bumpAuthRevision } from '../../../../kernel/db/state.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import { expiry, type AskedRole } from '../../domain/application-credential/application-credentials.ts';
import type { Trust } from '../../domain/records.ts';
import { duplicate, forbiddenAction, found, missing } from '../../domain/refusals.ts';
import { askedRoles, checkTrustorRoles, refuseApplicationCredential, removeTrust, validTrust, withRedelegation } from '../../domain/trust/trusts.ts'; // prettier-ignore
import { findRole, listRoles as allRoles } from '../../store/assignment/roles.ts';
import { insertTrust, listTrusts } from '../../store/trust/trusts.ts';
import { findUser } from '../../store/identity/users.ts';
import { wrapped } from '../../views/links.ts';
import { roleView } from '../../views/assignment/roles.ts';
import { fullTrustView, rolesLinks, trustRoles, trustView } from '../../views/trust/trusts.ts';
import { allow, bodyOf, extraOf, textOf, tokenOf, type Fields } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

const known = ['id', 'trustor_user_id', 'trustee_user_id', 'project_id', 'impersonation', 'expires_at', 'remaining_uses', 'deleted_at', 'redelegated_trust_id', 'redelegation_count', 'allow_redelegation', 'roles', 'links', 'roles_links']; // prettier-ignore

/** GET /v3/OS-TRUST/trusts; of trustor and trustee only the first counts, and any other filter finds nothing. */
export async function list(call: Call): Promise<Reply> {
  const trustorUserId = call.query.first('trustor_user_id') || undefined;
  const trusteeUserId = call.query.first('trustee_user_id') || undefined;
  if (trustorUserId) allow(call, 'list_trusts_for_trustor', { trust: { trustorUserId } });
  else if (trusteeUserId) allow(call, 'list_trusts_for_trustee', { trust: { trusteeUserId } });
  else allow(call, 'list_trusts');
  refuseApplicationCredential(tokenOf(call));
  const filter = trustorUserId ? { trustorUserId } : { trusteeUserId };
  const nothing = !trustorUserId && !trusteeUserId && call.query.entries().length > 0;
  const trusts = nothing ? [] : await listTrusts(call.db, filter);
  return ok(wrapped(call, 'trusts', trusts.map((trust) => trustView(call, trust)))); // prettier-ignore
}

/** POST /v3/OS-TRUST/trusts */
export async function create(call: Call): Promise<Reply> {
  const { db, now } = call;
  const fields = bodyOf(call, 'trust');
  const token = tokenOf(call);
  const trustorUserId = textOf(fields, 'trustor_user_id');
  allow(call, 'create_trust', { trust: { trustorUserId } });
  refuseApplicationCredential(token);
  const asked = (fields['roles'] ?? []) as AskedRole[];
  if (fields['project_id'] && !asked.length) throw forbiddenAction('At least one role should be specified');
  if (call.caller!.userId !== trustorUserId) throw forbiddenAction('The authenticated user should match the trustor');
  const trusteeUserId = textOf(fields, 'trustee_user_id');
  found(await findUser(db, trusteeUserId), 'user', trusteeUserId);
  const roleIds = await askedRoles(db, asked);
  const wanted = draftOf(fields, roleIds);
  await checkTrustorRoles(db, wanted, now);
  const draft = { ...wanted, expiresAt: expiry(fields['expires_at'] as string | null | undefined, now) };
  const parent = token?.trust ? await validTrust(db, token.trust.id, now) : undefined;
  const depth = {
    allowed: Boolean(fields['allow_redelegation']),
    count: fields['redelegation_count'] as number | null | undefined,
  };
  const trust = await withRedelegation(db, draft, depth, parent, now);
  try {
    await insertTrust(db, trust);
  } catch (error) {
    throw isDuplicate(error) ? duplicate('trust', trust.id, undefined, 'ID') : error;
  }
  return created({ trust: fullTrustView(call, trust, await allRoles(db)) });
}

const draftOf = (fields: Fields, roleIds: readonly string[]): Omit<Trust, 'redelegationCount'> => ({
  id: newHexId(),
  trustorUserId: textOf(fields, 'trustor_user_id'),
  trusteeUserId: textOf(fields, 'trustee_user_id'),
  projectId: (fields['project_id'] as string | null | undefined) || null,
  impersonation: fields['impersonation'] as boolean,
  expiresAt: null,
  remainingUses: (fields['remaining_uses'] as number | null | undefined) ?? null,
  redelegatedTrustId: (fields['redelegated_trust_id'] as string | null | undefined) || null,
  roleIds: [...new Set(roleIds)],
  extra: extraOf(fields, known),
});

/** GET /v3/OS-TRUST/trusts/{trust_id} */
export async function show(call: Call): Promise<Reply> {
  const trust = await target(call, 'get_trust');
  return ok({ trust: fullTrustView(call, trust, await allRoles(call.db)) });
}

/** DELETE /v3/OS-TRUST/trusts/{trust_id}; those that pass it on go with it, and all of their tokens. */
export async function remove(call: Call): Promise<Reply> {
  const trust = await target(call, 'delete_trust');
  await removeTrust(call.db, trust, call.now);
  await bumpAuthRevision(call.db);
  return noContent();
}

/** GET /v3/OS-TRUST/trusts/{trust_id}/roles */
export async function listRoles(call: Call): Promise<Reply> {
  const trust = await target(call, 'list_roles_for_trust');
  return ok({ roles: trustRoles(call, trust, await allRoles(call.db)), links: rolesLinks(call, trust) });
}

/** GET /v3/OS-TRUST/trusts/{trust_id}/roles/{role_id} */
export async function showRole(call: Call): Promise<Reply> {
  const trust = await target(call, 'get_role_for_trust');
  const id = call.params['role_id']!;
  const role = trust.roleIds.includes(id) ? await findRole(call.db, id) : undefined;
  if (!role) throw missing('role', id);
  return ok({ role: roleView(call, role) });
}

/** The trust that the path names. One that is not there, or no longer holds, is a 404 before policy is asked, as upstream. */
async function target(call: Call, rule: string): Promise<Trust> {
  const trust = await validTrust(call.db, call.params['trust_id']!, call.now);
  allow(call, rule, { trust });
  refuseApplicationCredential(tokenOf(call));
  return trust;
}
