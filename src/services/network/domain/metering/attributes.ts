// The attributes of metering labels and their rules.
import { listable, type Attribute, type AttributeMap } from '../attributes/definitions.ts';
import { oneOf, text, uuid } from '../attributes/checks.ts';
import { hiddenProject, id, name, project } from '../attributes/common.ts';
import { toBoolean } from '../attributes/convert.ts';

const flag: Attribute = { ...listable, post: true, fallback: false, convert: toBoolean };
const prefix: Attribute = { ...listable, post: true, fallback: null };

export const labelAttributes: AttributeMap = {
  resource: 'metering_label',
  collection: 'metering_labels',
  attributes: {
    id,
    name: { ...name, put: false },
    description: { ...listable, post: true, fallback: '', check: text(1024) },
    ...project,
    shared: flag,
  },
};

export const labelRuleAttributes: AttributeMap = {
  resource: 'metering_label_rule',
  collection: 'metering_label_rules',
  attributes: {
    id,
    metering_label_id: { ...listable, post: true, check: uuid },
    direction: { ...listable, post: true, check: oneOf('ingress', 'egress') },
    excluded: flag,
    ...hiddenProject,
    remote_ip_prefix: prefix,
    source_ip_prefix: prefix,
    destination_ip_prefix: prefix,
  },
};
