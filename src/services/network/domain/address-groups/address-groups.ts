// Address groups: prefixes that rules of security groups can name together. Upstream:
// neutron/db/address_group_db.py.
import { pythonRepr } from '../../../../kernel/contract/jsonschema-messages.ts';
import type { Context } from '../../../../kernel/model.ts';
import { formatNetwork, parseCidr } from '../../ip.ts';
import type { AddressGroup } from '../../model.ts';
import { addressGroupTable, ruleTable } from '../../store/tables.ts';
import type { Fields } from '../attributes/definitions.ts';
import { absent, bad, inConflict } from '../refusals.ts';
import { removePolicies } from '../sharing/shared-attributes.ts';
import { newStandard, storedFields } from '../standard.ts';

/**
 * Normalizes prefixes: the host part is dropped, a single address gets its full length, and each is
 * there once.
 */
const normalized = (prefixes: readonly string[]): string[] => [
  ...new Set(prefixes.map((prefix) => formatNetwork(parseCidr(prefix, true)!))),
];

export async function createAddressGroup(
  { db, now }: Context,
  fields: Fields,
): Promise<AddressGroup> {
  const group: AddressGroup = {
    ...newStandard(fields, now),
    name: fields['name'] as string,
    addresses: normalized(fields['addresses'] as string[]),
  };
  await addressGroupTable.create(db, group);
  return group;
}

export const updateAddressGroup = (
  { db, now }: Context,
  group: AddressGroup,
  fields: Fields,
): Promise<AddressGroup> =>
  addressGroupTable.change(db, group, storedFields(addressGroupTable, fields), now);

/** Adds prefixes to a group. @throws 400 if it has one of them */
export async function addAddresses(
  { db, now }: Context,
  group: AddressGroup,
  prefixes: readonly string[],
): Promise<AddressGroup> {
  const added = normalized(prefixes);
  const present = new Set(group.addresses);
  const known = added.filter((prefix) => present.has(prefix));
  if (known.length)
    throw bad(
      'AddressesAlreadyExist',
      `Addresses ${pythonRepr(known)} already exist in the address group ${group.id}.`,
    );
  return addressGroupTable.change(db, group, { addresses: [...group.addresses, ...added] }, now);
}

/** Removes prefixes from a group. @throws 404 if it lacks one of them */
export async function removeAddresses(
  { db, now }: Context,
  group: AddressGroup,
  prefixes: readonly string[],
): Promise<AddressGroup> {
  const removed = normalized(prefixes);
  const remaining = new Set(group.addresses);
  const unknown = removed.filter((prefix) => !remaining.delete(prefix));
  if (unknown.length)
    throw absent(
      'AddressesNotFound',
      `Addresses ${pythonRepr(unknown)} not found in the address group ${group.id}.`,
    );
  return addressGroupTable.change(db, group, { addresses: [...remaining] }, now);
}

/** Deletes a group. @throws 409 if rules refer to it */
export async function deleteAddressGroup(context: Context, group: AddressGroup): Promise<void> {
  const { db } = context;
  if (await ruleTable.exists(db, { remote_address_group_id: group.id }))
    throw inConflict(
      'AddressGroupInUse',
      `Address group ${group.id} is in use on one or more security group rules.`,
    );
  await addressGroupTable.delete(db, group);
  await removePolicies(context, group.id);
}
