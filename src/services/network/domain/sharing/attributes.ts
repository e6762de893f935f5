// The attributes of an RBAC policy, which has no standard attributes. Upstream:
// neutron/extensions/rbac.py.
import { isUuidLike } from '../../../../kernel/ids.ts';
import { objectTypes, type ObjectType } from '../../model.ts';
import { everyone } from '../../store/sharing.ts';
import { quoted, text, uuid } from '../attributes/checks.ts';
import { id, project } from '../attributes/common.ts';
import { listable, type AttributeMap } from '../attributes/definitions.ts';
import { invalidInput } from '../refusals.ts';

/** @throws 400 */
function toObjectType(value: unknown): ObjectType {
  const given = quoted(value);
  const type = objectTypes.find((one) => one === given.trim().toLowerCase());
  if (type === undefined) throw invalidInput(`'${given}' is not a valid RBAC object type`);
  return type;
}

/** @throws 400 */
function toTarget(value: unknown): string {
  const target = quoted(value);
  if (target === everyone || (typeof value === 'string' && isUuidLike(value))) return target;
  throw invalidInput(
    `'${target}' is not a valid target project ID; expected a UUID or '${everyone}'`,
  );
}

export const rbacAttributes: AttributeMap = {
  resource: 'rbac_policy',
  collection: 'rbac_policies',
  attributes: {
    id,
    object_type: { ...listable, post: true, fallback: null, convert: toObjectType, policy: true },
    object_id: { ...listable, post: true, check: uuid, policy: true },
    target_tenant: { ...listable, post: true, put: true, convert: toTarget, policy: true },
    ...project,
    action: { ...listable, post: true, check: text(255), policy: true },
  },
};
