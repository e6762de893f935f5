// Security groups and their rules.
import type { Target } from '../../../kernel/auth/policy.ts';
import type { Work } from '../domain/actor.ts';
import type { Fields } from '../domain/attributes/definitions.ts';
import { getGroup, getRule, scopes } from '../domain/visibility.ts';
import { groupKind, ruleKind } from '../domain/security-groups/attributes.ts';
import type { SecurityGroup, SecurityGroupRule } from '../domain/records.ts';
import { groupNotFound } from '../domain/refusals.ts';
import { createRules, deleteRule } from '../domain/security-groups/rules.ts';
import { createGroup, deleteGroup, ensureDefaultGroup, updateGroup } from '../domain/security-groups/security-groups.ts';
import { findAll } from '../store/table.ts';
import { groupTable, ruleTable } from '../store/tables.ts';
import { showGroups, showRules } from '../views/things.ts';
import { each } from './networks.ts';
import { handlersFor, type Thing } from './resources.ts';
import type { Call } from '../../../kernel/model.ts';

/** Who looks at the groups of a project finds a default one there. */
async function withDefault(work: Work, { query }: Call): Promise<void> {
  await ensureDefaultGroup(work, query.first('project_id') ?? query.first('tenant_id') ?? work.actor.projectId);
}

/** Whose groups the rules are of. */
async function inGroupsOf({ db }: Work, rules: readonly Fields[], mustExist: boolean): Promise<Target[]> {
  const ids = rules.map((rule) => rule['security_group_id'] as string);
  const groups = new Map((await findAll(db, groupTable, ids)).map((group) => [group.id, group.project_id]));
  return ids.map((id) => {
    if (mustExist && !groups.has(id)) throw groupNotFound(id);
    return { 'security_group:project_id': groups.get(id), 'security_group:tenant_id': groups.get(id) };
  });
}

export const groupThing: Thing<SecurityGroup> = {
  kind: groupKind,
  table: groupTable,
  scope: scopes.own,
  get: getGroup,
  create: (work, items) => each(items, (fields) => createGroup(work, fields)),
  update: updateGroup,
  remove: deleteGroup,
  show: showGroups,
  before: withDefault,
};

export const ruleThing: Thing<SecurityGroupRule> = {
  kind: ruleKind,
  table: ruleTable,
  scope: scopes.rule,
  get: getRule,
  relatives: inGroupsOf,
  create: createRules,
  remove: deleteRule,
  show: showRules,
  before: withDefault,
};

export const groups = handlersFor(groupThing);
export const rules = handlersFor(ruleThing);
