// A resource provider as a client sees it.
import type { Provider } from '../domain/records.ts';
import type { PlacementCall } from '../call.ts';

export function providerUrl(call: PlacementCall, uuid: string): string {
  return `${call.prefix}/resource_providers/${uuid}`;
}

export function providerView(call: PlacementCall, provider: Provider): object {
  const { at } = call;
  const { uuid, name, generation, parentUuid, rootUuid } = provider;
  return {
    uuid,
    name,
    generation,
    ...at.since('1.14', { parent_provider_uuid: parentUuid, root_provider_uuid: rootUuid }),
    links: linksOf(call, uuid),
  };
}

function linksOf(call: PlacementCall, uuid: string): { rel: string; href: string }[] {
  const self = providerUrl(call, uuid);
  const { at } = call;
  const rels = [
    'inventories',
    'usages',
    ...(at.has('1.1') ? ['aggregates'] : []),
    ...(at.has('1.6') ? ['traits'] : []),
    ...(at.has('1.11') ? ['allocations'] : []),
  ];
  return [{ rel: 'self', href: self }, ...rels.map((rel) => ({ rel, href: `${self}/${rel}` }))];
}
