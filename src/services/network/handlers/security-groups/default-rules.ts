// The rules that new security groups get. All projects see them, and administrators change them.
import { defaultRuleAttributes } from '../../domain/security-groups/default-rule-attributes.ts';
import { createDefaultRule } from '../../domain/security-groups/default-rules.ts';
import { getDefaultRule, visibility } from '../../domain/visibility.ts';
import type { DefaultRule } from '../../model.ts';
import { defaultRuleTable } from '../../store/tables.ts';
import { plainView } from '../../views/view.ts';
import { fixedResourceHandlers, sequentially, type Resource } from '../resources.ts';

export const defaultRuleResource: Resource<DefaultRule> = {
  map: defaultRuleAttributes,
  table: defaultRuleTable,
  visibility: visibility.all,
  get: getDefaultRule,
  create: sequentially(createDefaultRule),
  delete: ({ db }, rule) => defaultRuleTable.delete(db, rule),
  views: (_db, rules) => Promise.resolve(rules.map(plainView)),
};

export const { list, show, create, remove } = fixedResourceHandlers(defaultRuleResource);
