// Address groups. A project sees its own and those that others share with it.
import { ok } from '../../../kernel/http/reply.ts';
import { isObject, type Json, type JsonObject } from '../../../kernel/json.ts';
import type { Call, Reply } from '../../../kernel/model.ts';
import {
  addAddresses,
  createAddressGroup,
  deleteAddressGroup,
  removeAddresses,
  updateAddressGroup,
} from '../domain/address-groups/address-groups.ts';
import { addressGroupAttributes } from '../domain/address-groups/attributes.ts';
import { quoted } from '../domain/attributes/checks.ts';
import { badInput } from '../domain/refusals.ts';
import { getAddressGroup, visibility } from '../domain/visibility.ts';
import { parseCidr } from '../ip.ts';
import type { AddressGroup } from '../model.ts';
import { addressGroupTable } from '../store/tables.ts';
import { addressGroupView } from '../views/address-groups.ts';
import { enforce } from './requests.ts';
import {
  findTarget,
  resourceHandlers,
  sequentially,
  targetOfWrite,
  type UpdatableResource,
} from './resources.ts';

export const addressGroupResource: UpdatableResource<AddressGroup> = {
  map: addressGroupAttributes,
  table: addressGroupTable,
  visibility: visibility.addressGroup,
  sharing: true,
  get: getAddressGroup,
  create: sequentially(createAddressGroup),
  update: updateAddressGroup,
  delete: deleteAddressGroup,
  views: (_db, groups) => Promise.resolve(groups.map(addressGroupView)),
};

export const { list, show, create, update, remove } = resourceHandlers(addressGroupResource);

/** The addresses of a body, which may lack a prefix length here. @throws 400 */
function addressesOf(body: unknown): readonly string[] {
  const addresses = isObject(body as Json) ? (body as JsonObject)['addresses'] : undefined;
  if (!Array.isArray(addresses)) throw badInput('Request body contains invalid data');
  const invalid = addresses.find((one: unknown) => !parseCidr(one, true));
  if (invalid !== undefined) throw badInput(`invalid IPNetwork ${quoted(invalid)}`);
  return addresses as unknown as readonly string[];
}

/** PUT /v2.0/address-groups/{id}/add_addresses and remove_addresses */
const changeAddresses =
  (rule: string, change: typeof addAddresses) =>
  async (call: Call): Promise<Reply> => {
    const { record: group, target } = await findTarget(call, addressGroupResource);
    enforce(call, [rule], targetOfWrite(addressGroupAttributes, target), 'get_address_group');
    const changed = await change(call, group, addressesOf(call.body));
    return ok({ address_group: addressGroupView(changed) });
  };

export const addGroupAddresses = changeAddresses('add_addresses', addAddresses);
export const removeGroupAddresses = changeAddresses('remove_addresses', removeAddresses);
