// A region of the catalog in the format of the API.
import type { CatalogRegion } from '../../model.ts';
import { linkTo, type View } from '../links.ts';
import type { Call } from '../../../../kernel/model.ts';

export function regionView(call: Call, region: CatalogRegion): View {
  return {
    ...region.extra,
    id: region.id,
    description: region.description,
    parent_region_id: region.parentId,
    links: { self: linkTo(call, `regions/${region.id}`) },
  };
}
