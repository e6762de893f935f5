// Address scopes. The subnet pools of a scope have no addresses in common. Upstream:
// neutron/db/address_scope_db.py.
import { sharedWith } from '../../store/sharing.ts';
import { addressScopeTable, subnetpoolTable } from '../../store/tables.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { Fields } from '../attributes/definitions.ts';
import { getAddressScope } from '../visibility.ts';
import { storedFields, newStandard } from '../standard.ts';
import type { AddressScope, Subnetpool } from '../../model.ts';
import {
  removePolicies,
  requireStillShared,
  share,
  shareNew,
} from '../sharing/shared-attributes.ts';
import { cidrsOf, sharesAddresses } from './prefixes.ts';
import { bad, inConflict } from '../refusals.ts';

export async function createAddressScope(context: Context, fields: Fields): Promise<AddressScope> {
  const scope: AddressScope = {
    ...newStandard(fields, context.now),
    name: fields['name'] as string,
    ip_version: fields['ip_version'] as number,
  };
  await addressScopeTable.create(context.db, scope);
  if (fields['shared']) await shareNew(context, 'address_scope', scope);
  return scope;
}

export async function updateAddressScope(
  context: Context,
  scope: AddressScope,
  fields: Fields,
): Promise<AddressScope> {
  const { db, now, actor } = context;
  const isShared = await sharedWith(db, actor.projectId ?? '', [scope.id]);
  if (isShared.has(scope.id) && fields['shared'] === false)
    throw bad(
      'AddressScopeUpdateError',
      `Unable to update address scope ${scope.id} : Shared address scope can't be unshared.`,
    );
  if (fields['shared'] === true) await share(context, 'address_scope', scope);
  return addressScopeTable.change(db, scope, storedFields(addressScopeTable, fields), now);
}

/** Deletes a scope. @throws 409 if it contains pools */
export async function deleteAddressScope(context: Context, scope: AddressScope): Promise<void> {
  const { db } = context;
  if (await subnetpoolTable.count(db, { where: { address_scope_id: scope.id } }))
    throw inConflict(
      'AddressScopeInUse',
      `Unable to complete operation on address scope ${scope.id}. There are one or more subnet ` +
        'pools in use on the address scope.',
    );
  await addressScopeTable.delete(db, scope);
  await removePolicies(context, scope.id);
}

const owns = ({ actor }: Context, scope: AddressScope): boolean =>
  actor.isAdmin || scope.project_id === actor.projectId;

/** Checks that a pool fits into the scope that it names. @throws 400, 404, 409 */
export async function checkScope(context: Context, pool: Subnetpool): Promise<void> {
  if (pool.address_scope_id === null) return;
  const scope = await getAddressScope(context, pool.address_scope_id);
  await requireStillShared(context, scope, pool.project_id);
  if (scope.ip_version !== pool.ip_version)
    throw bad(
      'IllegalSubnetPoolIpVersionAssociationToAddressScope',
      `Illegal subnetpool association: subnetpool ${pool.id} cannot associate with address scope ` +
        `${scope.id} because subnetpool ip_version is not ${scope.ip_version}.`,
    );
  const others = await subnetpoolTable.list(context.db, {
    where: { address_scope_id: scope.id },
  });
  const taken = others.filter(({ id }) => id !== pool.id).flatMap(({ prefixes }) => prefixes);
  if (sharesAddresses(cidrsOf(pool.prefixes), cidrsOf(taken)))
    throw inConflict(
      'AddressScopePrefixConflict',
      'Failed to associate address scope: subnetpools within an address scope must have unique ' +
        'prefixes.',
    );
}

/** @throws 400 if the pool is in another project's scope, because such a pool cannot be updated */
export async function checkUpdatable(context: Context, pool: Subnetpool): Promise<void> {
  if (
    pool.address_scope_id === null ||
    owns(context, await getAddressScope(context, pool.address_scope_id))
  )
    return;
  throw bad(
    'IllegalSubnetPoolUpdate',
    `Illegal subnetpool update : subnetpool ${pool.id} cannot be updated when associated with ` +
      `shared address scope ${pool.address_scope_id}.`,
  );
}
