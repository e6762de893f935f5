// Subnet pools. A project sees its own and those that others share with it.
import { ok } from '../../../kernel/http/reply.ts';
import { isObject, type Json, type JsonObject } from '../../../kernel/json.ts';
import type { Call, Reply } from '../../../kernel/model.ts';
import { cidr } from '../domain/attributes/checks.ts';
import { badInput } from '../domain/refusals.ts';
import { onboardSubnets } from '../domain/subnetpools/onboarding.ts';
import { subnetpoolAttributes } from '../domain/subnetpools/attributes.ts';
import {
  addPrefixes,
  createSubnetpool,
  deleteSubnetpool,
  removePrefixes,
  updateSubnetpool,
} from '../domain/subnetpools/subnetpools.ts';
import type { Subnetpool } from '../model.ts';
import { getSubnetpool, visibility } from '../domain/visibility.ts';
import { loadTags } from '../store/details.ts';
import { subnetpoolTable } from '../store/tables.ts';
import { subnetpoolView } from '../views/subnetpools.ts';
import { enforce } from './requests.ts';
import {
  findTarget,
  sequentially,
  resourceHandlers,
  viewsWith,
  type UpdatableResource,
} from './resources.ts';
import { tagHandlers } from './tags.ts';

export const subnetpoolResource: UpdatableResource<Subnetpool> = {
  map: subnetpoolAttributes,
  table: subnetpoolTable,
  visibility: visibility.subnetpool,
  sharing: true,
  get: getSubnetpool,
  create: sequentially(createSubnetpool),
  update: updateSubnetpool,
  delete: deleteSubnetpool,
  views: viewsWith(loadTags, subnetpoolView),
};

export const { list, show, create, update, remove } = resourceHandlers(subnetpoolResource);
export const tags = tagHandlers(subnetpoolResource);

/** The prefixes of a body. @throws 400 */
function prefixesOf(body: unknown): readonly string[] {
  const prefixes = isObject(body as Json) ? (body as JsonObject)['prefixes'] : undefined;
  if (!Array.isArray(prefixes) || !prefixes.length)
    throw badInput('Request body contains invalid data');
  const problem = prefixes.map((prefix: unknown) => cidr(prefix)).find(Boolean);
  if (problem !== undefined) throw badInput(`Invalid input for prefixes. Reason: ${problem}.`);
  return prefixes as unknown as readonly string[];
}

/** PUT /v2.0/subnetpools/{id}/add_prefixes and remove_prefixes */
const changePrefixes =
  (rule: string, change: typeof addPrefixes) =>
  async (call: Call): Promise<Reply> => {
    const { record: pool, target } = await findTarget(call, subnetpoolResource);
    enforce(call, [rule], target, 'get_subnetpool');
    const { prefixes } = await change(call, pool, prefixesOf(call.body));
    return ok({ prefixes });
  };

export const addPoolPrefixes = changePrefixes('add_prefixes', addPrefixes);
export const removePoolPrefixes = changePrefixes('remove_prefixes', removePrefixes);

/** PUT /v2.0/subnetpools/{id}/onboard_network_subnets: replies with the subnets that joined it */
export async function onboard(call: Call): Promise<Reply> {
  const { record: pool, target } = await findTarget(call, subnetpoolResource);
  enforce(call, ['onboard_network_subnets'], target, 'get_subnetpool');
  if (!isObject(call.body as Json)) throw badInput('Request body contains invalid data');
  const subnets = await onboardSubnets(call, pool, (call.body as JsonObject)['network_id']);
  return ok(subnets.map(({ id, cidr: prefix }) => ({ id, cidr: prefix })));
}
