// The list of segments that a new network may have. Upstream:
// neutron_lib/api/validators/multiprovidernet.py.
import { map, orNull, quoted, text } from '../attributes/checks.ts';
import { toInteger } from '../attributes/convert.ts';
import type { Fields } from '../attributes/definitions.ts';
import { badInput } from '../refusals.ts';

const names = ['provider:network_type', 'provider:physical_network', 'provider:segmentation_id'];

/** Checks a list of segments, and converts their segmentation ids. @throws 400 */
export function segmentList(value: unknown): string | undefined {
  if (!Array.isArray(value)) return `'${quoted(value)}' is not a list`;
  for (const segment of value as Fields[]) {
    const problem = map(segment) ?? attributes(segment);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function attributes(segment: Fields): string | undefined {
  const unknown = Object.keys(segment).filter((name) => !names.includes(name));
  if (unknown.length) throw badInput(`Unrecognized attribute(s) '${unknown.join(', ')}'`);
  const number = segment[names[2]!];
  segment[names[2]!] = number ? toInteger(number) : null;
  return (
    orNull(text(32))(segment[names[0]!] ?? null) ?? orNull(text(64))(segment[names[1]!] ?? null)
  );
}
