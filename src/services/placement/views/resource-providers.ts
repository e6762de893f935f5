// Renders a resource provider.
import type { Provider } from '../model.ts';
import type { PlacementCall } from '../call.ts';

export function providerUrl(call: PlacementCall, uuid: string): string {
  return `${call.prefix}/resource_providers/${uuid}`;
}

export function providerView(call: PlacementCall, provider: Provider): object {
  const { version } = call;
  const { uuid, name, generation, parentUuid, rootUuid } = provider;
  return {
    uuid,
    name,
    generation,
    ...version.since('1.14', { parent_provider_uuid: parentUuid, root_provider_uuid: rootUuid }),
    links: linksOf(call, uuid),
  };
}

function linksOf(call: PlacementCall, uuid: string): { rel: string; href: string }[] {
  const self = providerUrl(call, uuid);
  const { version } = call;
  const rels = [
    'inventories',
    'usages',
    ...(version.has('1.1') ? ['aggregates'] : []),
    ...(version.has('1.6') ? ['traits'] : []),
    ...(version.has('1.11') ? ['allocations'] : []),
  ];
  return [{ rel: 'self', href: self }, ...rels.map((rel) => ({ rel, href: `${self}/${rel}` }))];
}
