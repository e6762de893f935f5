// What Clustering does in a region that holds a copy of another's rows.
import type { Region, Context } from '../../../../kernel/model.ts';
import * as store from '../../store/index.ts';
import { regionFor } from './location.ts';
import { propertiesOf } from '../profiles/index.ts';

/**
 * Nodes of the copy stand for the servers of the copy, also where they name the region that was
 * copied. A server in a third region is there once, and stays with the original: the node of the
 * copy has lost it.
 */
export async function regionForked(context: Context, from: Region): Promise<void> {
  for (const node of await store.nodes.all(context.db, {}, 'id')) {
    const profile = (await store.profiles.find(context.db, { id: node.profileId }))!;
    const properties = propertiesOf(profile);
    const region = regionFor({ ...context, region: from }, node, properties);
    if (region !== from.name) {
      const lost = {
        physicalId: null,
        status: 'ERROR',
        statusReason: `Its server in ${region} belongs to the original in ${from.name}.`,
      };
      await store.changeNode(context.db, node, lost);
    } else if (regionFor(context, node, properties) !== context.region.name) {
      const placement = { ...node.data.placement, region_name: context.region.name };
      await store.changeNode(context.db, node, { data: { ...node.data, placement } });
    }
  }
}
