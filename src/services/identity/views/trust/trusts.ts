// A trust in the format of the API.
import { isoMicros, SECOND } from '../../../../kernel/clock.ts';
import type { Role, Trust } from '../../model.ts';
import { linkTo, type View } from '../links.ts';
import { roleView } from '../assignment/roles.ts';
import type { Call } from '../../../../kernel/model.ts';

/** A trust in a list, without its roles. The expiry is truncated to whole seconds, as upstream. */
export const trustView = (call: Call, trust: Trust): View => ({
  ...trust.extra,
  id: trust.id,
  trustor_user_id: trust.trustorUserId,
  trustee_user_id: trust.trusteeUserId,
  project_id: trust.projectId,
  impersonation: trust.impersonation,
  expires_at:
    trust.expiresAt === null ? null : isoMicros(trust.expiresAt - (trust.expiresAt % SECOND)),
  remaining_uses: trust.remainingUses,
  deleted_at: null,
  redelegated_trust_id: trust.redelegatedTrustId,
  redelegation_count: trust.redelegationCount,
  links: { self: linkTo(call, `OS-TRUST/trusts/${trust.id}`) },
});

/** A trust with its roles. `roles` are all roles of the cloud. */
export const fullTrustView = (call: Call, trust: Trust, roles: readonly Role[]): View => ({
  ...trustView(call, trust),
  roles: trustRoles(call, trust, roles),
  roles_links: rolesLinks(call, trust),
});

/** The roles of a trust that still exist. */
export function trustRoles(call: Call, trust: Trust, roles: readonly Role[]): View[] {
  const byId = new Map(roles.map((role) => [role.id, role]));
  return trust.roleIds
    .map((id) => byId.get(id))
    .filter((role) => role !== undefined)
    .map((role) => roleView(call, role));
}

/** The links of the roles. Upstream (api/trusts.py) omits the path before the id. */
export const rolesLinks = (call: Call, trust: Trust): object => ({
  self: linkTo(call, `${trust.id}/roles`),
  next: null,
  previous: null,
});
