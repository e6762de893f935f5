// The attributes of a subnet pool.
import { listable, unset, type AttributeMap } from '../attributes/definitions.ts';
import { cidr, orNull, quoted, text, uuid, type Check } from '../attributes/checks.ts';
import { toBoolean, toInteger } from '../attributes/convert.ts';
import { id, project, standard, tags } from '../attributes/common.ts';

const notEmpty: Check = (value) =>
  typeof value === 'string' && !value.trim()
    ? `'${value}' Blank strings are not permitted`
    : text(255)(value);

const notNegative: Check = (value) =>
  (value as number) < 0 ? `'${quoted(value)}' should be non-negative` : undefined;

const prefixes: Check = (value) => {
  if (!Array.isArray(value)) return `'${quoted(value)}' is not a list`;
  if (new Set(value).size !== value.length)
    return `Duplicate items in the list: '${(value as unknown[]).map(quoted).join(', ')}'`;
  return (value as unknown[]).map(cidr).find(Boolean);
};

const length = {
  ...listable,
  post: true,
  put: true,
  fallback: unset,
  convert: toInteger,
  check: notNegative,
};

export const subnetpoolAttributes: AttributeMap = {
  resource: 'subnetpool',
  collection: 'subnetpools',
  attributes: {
    id,
    name: { ...listable, post: true, put: true, check: notEmpty },
    ...project,
    prefixes: { post: true, put: true, check: prefixes },
    default_quota: length,
    ip_version: { ...listable, convert: toInteger },
    default_prefixlen: length,
    min_prefixlen: length,
    max_prefixlen: length,
    is_default: {
      ...listable,
      post: true,
      put: true,
      policy: true,
      fallback: false,
      convert: toBoolean,
    },
    address_scope_id: { ...listable, post: true, put: true, fallback: unset, check: orNull(uuid) },
    shared: { filter: true, post: true, policy: true, fallback: false, convert: toBoolean },
    ...tags,
    ...standard,
  },
};
