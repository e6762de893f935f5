// The attributes that all resources, or most of them, have.
import { listable, type Attribute, type Attributes } from './definitions.ts';
import { orNull, text, uuid } from './checks.ts';
import { nullToEmptyText, toBoolean, toInteger } from './convert.ts';

export const id: Attribute = { ...listable };

export const project: Attributes = {
  project_id: { ...listable, post: true, check: text(255) },
  tenant_id: { ...listable, post: true, check: text(255) },
};

/** The project of a resource that has another owner: clients may send it, but do not see it. */
export const hiddenProject: Attributes = {
  project_id: { post: true, visible: false, check: text(255) },
  tenant_id: { post: true, visible: false, check: text(255) },
};

export const name: Attribute = {
  ...listable,
  post: true,
  put: true,
  fallback: '',
  check: text(255),
};

export const adminStateUp: Attribute = {
  ...listable,
  post: true,
  put: true,
  fallback: true,
  convert: toBoolean,
};

/** The QoS policy that a resource has. Upstream: the extensions qos and qos-fip. */
export const qosPolicyId: Attribute = {
  post: true,
  put: true,
  policy: true,
  fallback: null,
  check: orNull(uuid),
};

const hiddenFilter: Attribute = { visible: false, filter: true };

/** Upstream: the extensions standard-attr-description, -timestamp and -revisions. */
export const standard: Attributes = {
  description: {
    ...listable,
    post: true,
    put: true,
    fallback: '',
    convert: nullToEmptyText,
    check: text(255),
  },
  created_at: listable,
  updated_at: listable,
  changed_since: hiddenFilter,
  revision_number: { ...listable, convert: toInteger },
};

/** Upstream: the extension standard-attr-tag. */
export const tags: Attributes = {
  tags: { filter: true },
  'tags-any': hiddenFilter,
  'not-tags': hiddenFilter,
  'not-tags-any': hiddenFilter,
};

/** The scheduling hints of networks and routers. `nova` is the only zone. */
export const zones: Attributes = {
  availability_zone_hints: {
    post: true,
    fallback: [],
    convert: (value) => value ?? [],
    check: zoneList,
    filter: false,
  },
  availability_zones: {},
};

function zoneList(value: unknown): string | undefined {
  if (!Array.isArray(value)) return `'${String(value)}' is not a list`;
  const problem = (value as unknown[]).map(text(255)).find(Boolean);
  if (problem !== undefined) return problem;
  const length = JSON.stringify(value).length;
  return length > 255 ? `Too many availability_zone_hints specified` : undefined;
}
