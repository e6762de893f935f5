// The rules of metering labels, which only administrators see.
import { labelRuleAttributes } from '../../domain/metering/attributes.ts';
import { createLabelRule } from '../../domain/metering/labels.ts';
import { getMeteringRule, visibility } from '../../domain/visibility.ts';
import type { MeteringLabelRule } from '../../model.ts';
import { meteringRuleTable } from '../../store/tables.ts';
import { plainView } from '../../views/view.ts';
import { fixedResourceHandlers, sequentially, type Resource } from '../resources.ts';

export const meteringRuleResource: Resource<MeteringLabelRule> = {
  map: labelRuleAttributes,
  table: meteringRuleTable,
  visibility: visibility.all,
  unknownMarkers: 'ignored',
  get: getMeteringRule,
  create: sequentially(createLabelRule),
  delete: ({ db }, rule) => meteringRuleTable.delete(db, rule),
  views: (_db, rules) => Promise.resolve(rules.map(plainView)),
};

export const { list, show, create, remove } = fixedResourceHandlers(meteringRuleResource);
