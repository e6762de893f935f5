// Floating IPs and their pools. A project sees its own floating IPs.
import { may } from '../../../kernel/http/steps.ts';
import type { Call, Reply } from '../../../kernel/model.ts';
import type { AttributeMap } from '../domain/attributes/definitions.ts';
import {
  createFloatingip,
  deleteFloatingip,
  updateFloatingip,
} from '../domain/routers/floatingips.ts';
import { floatingipAttributes } from '../domain/routers/floatingip-attributes.ts';
import { reportFloatingip } from '../domain/ports/server-events.ts';
import type { Floatingip } from '../model.ts';
import { getFloatingip, visibility, visibleTo } from '../domain/visibility.ts';
import { loadFloatingipDetails } from '../store/details.ts';
import { floatingipTable, networkTable, subnetTable } from '../store/tables.ts';
import { floatingipView } from '../views/routers.ts';
import { filterNames, pagedReply, pageOf, sortKeysOf } from './listings.ts';
import { sequentially, resourceHandlers, viewsWith, type UpdatableResource } from './resources.ts';
import { tagHandlers } from './tags.ts';

export const floatingipResource: UpdatableResource<Floatingip> = {
  map: floatingipAttributes,
  table: floatingipTable,
  visibility: visibility.own,
  get: getFloatingip,
  create: sequentially(async (context, fields) => {
    const floating = await createFloatingip(context, fields);
    await reportFloatingip(context, null, floating.port_id);
    return floating;
  }),
  async update(context, floating, fields) {
    const updated = await updateFloatingip(context, floating, fields);
    await reportFloatingip(context, floating.port_id, updated.port_id);
    return updated;
  },
  async delete(context, floating) {
    await deleteFloatingip(context, floating);
    await reportFloatingip(context, floating.port_id, null);
  },
  views: viewsWith(loadFloatingipDetails, floatingipView),
};

export const { list, show, create, update, remove } = resourceHandlers(floatingipResource);
export const tags = tagHandlers(floatingipResource);

/** Pools of floating IPs have no attribute that filters or sorts. */
const poolAttributes: AttributeMap = {
  resource: 'floatingip_pool',
  collection: 'floatingip_pools',
  attributes: {},
};

/**
 * GET /v2.0/floatingip_pools: the IPv4 subnets of the external networks that the caller sees. As
 * upstream, each pool is shown as one of the caller's project.
 */
export async function listPools(call: Call): Promise<Reply> {
  const { db, actor } = call;
  filterNames(call, () => false);
  sortKeysOf(call, poolAttributes);
  const page = await pageOf(call);
  const networks = await networkTable.list(db, {
    where: { 'router:external': true },
    conditions: visibleTo(call, visibility.network),
  });
  const ids = networks.map(({ id }) => id);
  const subnets = await subnetTable.among(db, 'network_id', ids, { ip_version: 4 });
  const owner = { project_id: actor.projectId ?? '', tenant_id: actor.projectId ?? '' };
  const views = subnets
    .map(({ id, name, network_id, cidr }) => ({
      subnet_id: id,
      subnet_name: name,
      network_id,
      cidr,
      ...owner,
    }))
    .toSorted((one, other) => (one.subnet_id < other.subnet_id ? -1 : 1));
  const allowed = may(call, 'get_floatingip_pool', owner) ? views : [];
  return pagedReply(call, 'floatingip_pools', allowed, { field: 'subnet_id', page });
}
