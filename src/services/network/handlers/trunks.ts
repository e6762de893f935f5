// Trunks. A project sees its own.
import { ok } from '../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../kernel/model.ts';
import { badInput } from '../domain/refusals.ts';
import { trunkAttributes } from '../domain/trunks/attributes.ts';
import {
  addSubPorts,
  createTrunk,
  deleteTrunk,
  removeSubPorts,
  updateTrunk,
} from '../domain/trunks/trunks.ts';
import { getTrunk, visibility } from '../domain/visibility.ts';
import type { Trunk } from '../model.ts';
import { loadTrunkDetails } from '../store/details.ts';
import { trunkTable } from '../store/tables.ts';
import { trunkView } from '../views/trunks.ts';
import type { View } from '../views/view.ts';
import { withFields } from './listings.ts';
import { enforce } from './requests.ts';
import {
  findTarget,
  resourceHandlers,
  sequentially,
  viewsWith,
  type UpdatableResource,
} from './resources.ts';
import { tagHandlers } from './tags.ts';

export const trunkResource: UpdatableResource<Trunk> = {
  map: trunkAttributes,
  table: trunkTable,
  visibility: visibility.own,
  get: getTrunk,
  create: sequentially(createTrunk),
  update: updateTrunk,
  delete: deleteTrunk,
  views: viewsWith(loadTrunkDetails, trunkView),
};

export const { list, show, create, update, remove } = resourceHandlers(trunkResource);
export const tags = tagHandlers(trunkResource);

/** Finds the trunk of the path, and enforces the rule of an operation. @throws 403, 404 */
async function trunkIn(call: Call, rule: string): Promise<Trunk> {
  const { record, target } = await findTarget(call, trunkResource);
  enforce(call, [rule], target, 'get_trunk');
  return record;
}

const viewOf = async ({ db }: Call, trunk: Trunk): Promise<View> =>
  trunkView(trunk, await loadTrunkDetails(db, [trunk]));

/** PUT /v2.0/trunks/{id}/add_subports and remove_subports: the reply has no envelope */
const changeSubPorts =
  (rule: string, change: typeof addSubPorts) =>
  async (call: Call): Promise<Reply> => {
    const trunk = await trunkIn(call, rule);
    return ok(await viewOf(call, await change(call, trunk, sentSubPorts(call))));
  };

export const addTrunkSubPorts = changeSubPorts('add_subports', addSubPorts);
export const removeTrunkSubPorts = changeSubPorts('remove_subports', removeSubPorts);

/** Returns the subports of the body, still unchecked. @throws 400 */
function sentSubPorts({ body }: Call): unknown {
  const isMap = typeof body === 'object' && body !== null && 'sub_ports' in body;
  if (!isMap) throw badInput("Unable to find 'sub_ports' in request body");
  return body.sub_ports;
}

/** GET /v2.0/trunks/{id}/get_subports */
export async function getSubPorts(call: Call): Promise<Reply> {
  const { sub_ports } = await viewOf(call, await trunkIn(call, 'get_subports'));
  return ok(withFields(call, { sub_ports }));
}
