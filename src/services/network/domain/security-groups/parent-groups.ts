// What policy rules see of the group of a security group rule: its owner. Upstream:
// neutron/policy.py, OwnerCheck.
import type { Target } from '../../../../kernel/oslo/policy.ts';
import type { Context } from '../../../../kernel/model.ts';
import { groupTable } from '../../store/tables.ts';
import type { Fields } from '../attributes/definitions.ts';
import { groupNotFound } from '../refusals.ts';

/**
 * Returns one target for each security group rule.
 * @throws 404 for an unknown group, if `mustExist`
 */
export async function parentGroups(
  { db }: Context,
  rules: readonly Fields[],
  mustExist: boolean,
): Promise<Target[]> {
  const ids = rules.map((rule) => rule['security_group_id'] as string);
  const owners = new Map(
    (await groupTable.among(db, 'id', ids)).map((group) => [group.id, group.project_id]),
  );
  return ids.map((id) => {
    if (mustExist && !owners.has(id)) throw groupNotFound(id);
    return {
      'security_group:project_id': owners.get(id),
      'security_group:tenant_id': owners.get(id),
    };
  });
}
