// The attributes of an address group. Upstream: neutron_lib/api/definitions/address_group.py.
import { cidr, quoted, text } from '../attributes/checks.ts';
import { id, name, project, standard } from '../attributes/common.ts';
import { listable, type AttributeMap } from '../attributes/definitions.ts';

/** Returns what is wrong with a list of prefixes. */
function prefixes(value: unknown): string | undefined {
  if (!Array.isArray(value)) return `'${quoted(value)}' is not a list`;
  const [repeated, seen] = [new Set<unknown>(), new Set<unknown>()];
  for (const one of value as unknown[]) (seen.has(one) ? repeated : seen).add(one);
  if (repeated.size)
    return `Duplicate items in the list: '${[...repeated].map(quoted).join(', ')}'`;
  return value.map(cidr).find(Boolean);
}

export const addressGroupAttributes: AttributeMap = {
  resource: 'address_group',
  collection: 'address_groups',
  attributes: {
    id,
    name,
    ...project,
    addresses: {
      post: true,
      fallback: [],
      convert: (value) => value ?? [],
      check: prefixes,
    },
    ...standard,
    description: { ...listable, post: true, put: true, fallback: '', check: text(255) },
  },
};
