// Adapts the nodes of a forked region, which starts with a copy of another region's database.
import type { Region, Context } from '../../../../kernel/model.ts';
import * as store from '../../store/index.ts';
import { regionFor } from './location.ts';
import { propertiesOf } from '../profiles/index.ts';

/**
 * Nodes of the original region now belong to the servers of the copy. A server in a third region
 * stays with the original node, and the node of the copy loses it.
 */
export async function regionForked(context: Context, from: Region): Promise<void> {
  for (const node of await store.nodes.list(context.db)) {
    const profile = (await store.profiles.find(context.db, { id: node.profileId }))!;
    const properties = propertiesOf(profile);
    const region = regionFor({ ...context, region: from }, node, properties);
    if (region !== from.name) {
      const lost = {
        physicalId: null,
        status: 'ERROR' as const,
        statusReason: `Its server in ${region} belongs to the original in ${from.name}.`,
      };
      await store.changeNode(context.db, node, lost);
    } else if (regionFor(context, node, properties) !== context.region.name) {
      const placement = { ...node.data.placement, region_name: context.region.name };
      await store.changeNode(context.db, node, { data: { ...node.data, placement } });
    }
  }
}
