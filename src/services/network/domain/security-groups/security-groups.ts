// Security groups. Every project has a default group, which is created when it is first needed.
// Upstream: neutron/db/securitygroups_db.py.
import { once } from '../../../../kernel/db/transaction.ts';
import {
  defaultGroupOf,
  deleteDefaultGroup,
  isGroupUsed,
  setDefaultGroup,
} from '../../store/security-groups.ts';
import { setTags } from '../../store/tags.ts';
import { sharedWith } from '../../store/sharing.ts';
import { groupTable, ruleTable } from '../../store/tables.ts';
import type { Context } from '../../../../kernel/model.ts';
import { seesAll } from '../visibility.ts';
import type { Fields } from '../attributes/definitions.ts';
import { storedFields, newStandard } from '../standard.ts';
import { checkQuota } from '../quotas.ts';
import type { SecurityGroup } from '../../model.ts';
import { groupNotFound, inConflict } from '../refusals.ts';
import { addDefaultRules, defaultRulesFor } from './default-rules.ts';
import { removePolicies, requireStillShared } from '../sharing/shared-attributes.ts';

/**
 * Returns the id of a project's default group, and creates the group if it is missing; undefined if
 * the actor may not create it.
 */
export async function ensureDefaultGroup(
  context: Context,
  projectId: string | undefined,
): Promise<string | undefined> {
  if (!projectId || (projectId !== context.actor.projectId && !seesAll(context.actor)))
    return undefined;
  const key = `network.default group.${projectId}`;
  return once(context.db, key, () => findOrCreateDefault(context, projectId));
}

async function findOrCreateDefault(context: Context, projectId: string): Promise<string> {
  const id = await defaultGroupOf(context.db, projectId);
  if (id !== undefined) return id;
  const fields = {
    project_id: projectId,
    name: 'default',
    description: 'Default security group',
    stateful: true,
  };
  const group = await createWithRules(context, fields, true);
  await setDefaultGroup(context.db, projectId, group.id);
  return group.id;
}

export async function createGroup(context: Context, fields: Fields): Promise<SecurityGroup> {
  await ensureDefaultGroup(context, fields['project_id'] as string);
  return createWithRules(context, fields, false);
}

/** Creates a group with the default rules of its kind. */
async function createWithRules(
  context: Context,
  fields: Fields,
  isDefault: boolean,
): Promise<SecurityGroup> {
  const { db, now } = context;
  const group: SecurityGroup = {
    ...newStandard(fields, now),
    name: fields['name'] as string,
    stateful: fields['stateful'] as boolean,
  };
  const rules = await defaultRulesFor(context, isDefault);
  await checkQuota(context, group.project_id, 'security_group_rule', rules.length);
  await groupTable.create(db, group);
  await addDefaultRules(context, group, rules);
  return group;
}

const groupInUse = (id: string) => inConflict('SecurityGroupInUse', `Security Group ${id} in use.`);

export async function updateGroup(
  { db, now }: Context,
  group: SecurityGroup,
  fields: Fields,
): Promise<SecurityGroup> {
  if (
    'stateful' in fields &&
    fields['stateful'] !== group.stateful &&
    (await isGroupUsed(db, group.id))
  )
    throw groupInUse(group.id);
  if (group.name === 'default' && 'name' in fields) {
    throw inConflict(
      'SecurityGroupCannotUpdateDefault',
      'Updating default security group not allowed.',
    );
  }
  return groupTable.change(db, group, storedFields(groupTable, fields), now);
}

/**
 * Deletes a group.
 * @throws 409 if ports are in it, or if it is the default group and the actor is no administrator
 */
export async function deleteGroup(context: Context, group: SecurityGroup): Promise<void> {
  const { db, actor } = context;
  if (await isGroupUsed(db, group.id)) throw groupInUse(group.id);
  if (group.name === 'default' && !actor.isAdmin) {
    throw inConflict(
      'SecurityGroupCannotRemoveDefault',
      'Insufficient rights for removing default security group.',
    );
  }
  // Rules of other groups that name this one as their remote group are deleted with it.
  const own = await ruleTable.list(db, { where: { security_group_id: group.id } });
  const naming = await ruleTable.list(db, { where: { remote_group_id: group.id } });
  const rules = new Map([...own, ...naming].map((rule) => [rule.id, rule]));
  for (const rule of rules.values()) await ruleTable.delete(db, rule);
  await deleteDefaultGroup(db, group.id);
  await setTags(db, group.id, []);
  await groupTable.delete(db, group);
  await removePolicies(context, group.id);
}

/**
 * Finds the groups with these ids for a port. Those that others share with its project must still
 * be shared when the transaction commits.
 * @throws 404 if the port's project may not use one of them
 */
export async function groupsForPort(
  context: Context,
  projectId: string,
  ids: readonly string[],
): Promise<string[]> {
  const found = await groupTable.among(context.db, 'id', ids);
  const isOwn = (group: SecurityGroup): boolean => !projectId || group.project_id === projectId;
  const others = found.filter((group) => !isOwn(group)).map(({ id }) => id);
  const shared = await sharedWith(context.db, projectId, others);
  for (const group of found)
    if (shared.has(group.id)) await requireStillShared(context, group, projectId);
  const valid = found.filter(
    (group) => context.actor.isAdmin || isOwn(group) || shared.has(group.id),
  );
  const known = new Set(valid.map(({ id }) => id));
  const missing = ids.filter((id) => !known.has(id));
  if (missing.length) throw groupNotFound(missing.join(', '));
  if (new Set(valid.map(({ stateful }) => stateful)).size > 1) {
    throw inConflict(
      'SecurityGroupConflict',
      'Error Cannot apply both stateful and stateless security groups on the same port at the ' +
        'same time while attempting the operation.',
    );
  }
  return valid.map((group) => group.id);
}
