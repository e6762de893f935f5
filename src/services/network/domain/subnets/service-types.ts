// The service types of subnets. Upstream: validate_subnet_service_types in
// neutron_lib/api/validators.
import { quoted, text } from '../attributes/checks.ts';
import { bad, badInput } from '../refusals.ts';

/**
 * How a service type begins. Upstream adds the text `compute:` to a list of prefixes, which adds
 * each of its letters.
 */
const prefixes = ['network:', 'neutron:', ...Array.from('compute:')];

/** Converts service types to their stored form: each type once, sorted. @throws 400 */
export function toServiceTypes(value: unknown): string[] {
  if ([null, undefined, '', 0, false].some((empty) => empty === value)) return [];
  if (!Array.isArray(value)) throw badInput('Subnet service types must be a list.');
  for (const type of value as unknown[]) checkType(type);
  return [...new Set(value as string[])].sort();
}

function checkType(type: unknown): void {
  if (typeof type !== 'string')
    throw bad(
      'InvalidInputSubnetServiceType',
      `Subnet service type ${quoted(type)} is not a string.`,
    );
  if (!prefixes.some((prefix) => type.startsWith(prefix)))
    throw bad(
      'InvalidSubnetServiceType',
      `Subnet service type ${type} does not correspond to a valid device owner.`,
    );
  const problem = text(255)(type);
  if (problem !== undefined) throw badInput(`Invalid input for service_types. Reason: ${problem}.`);
}
