// The rules of security groups. They can be created and deleted, but not updated.
import { parentGroups } from '../../domain/security-groups/parent-groups.ts';
import { createRules, deleteRule } from '../../domain/security-groups/rules.ts';
import { ruleAttributes } from '../../domain/security-groups/attributes.ts';
import type { SecurityGroupRule } from '../../model.ts';
import { getRule, visibility } from '../../domain/visibility.ts';
import { ruleTable } from '../../store/tables.ts';
import { ruleView } from '../../views/security-groups.ts';
import { fixedResourceHandlers, type Resource } from '../resources.ts';
import { createDefaultGroup } from './groups.ts';

export const ruleResource: Resource<SecurityGroupRule> = {
  map: ruleAttributes,
  table: ruleTable,
  visibility: visibility.rule,
  get: getRule,
  parents: parentGroups,
  create: createRules,
  delete: deleteRule,
  views: (_db, rules) => Promise.resolve(rules.map(ruleView)),
  beforeList: createDefaultGroup,
};

export const { list, show, create, remove } = fixedResourceHandlers(ruleResource);
