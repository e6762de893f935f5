// Operations on resource providers.
import { isUuidLike, newUuid, normalUuid } from '../../../kernel/ids.ts';
import { created, noContent, ok } from '../../../kernel/http/reply.ts';
import { changeProvider, createProvider, deleteProvider } from '../domain/resource-providers.ts';
import { providerFilter } from '../domain/provider-filter.ts';
import { listProviders } from '../store/resource-providers.ts';
import { cacheHeaders, newest } from '../views/cache.ts';
import { providerUrl, providerView } from '../views/resource-providers.ts';
import { providerInPath } from './subject.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { PlacementCall } from '../call.ts';

interface ProviderBody {
  name: string;
  uuid?: string;
  parent_provider_uuid?: string | null;
}

/** Converts a UUID to lower case with dashes. Other values do not change. */
const normalized = <T extends string | null | undefined>(uuid: T): T =>
  typeof uuid === 'string' && isUuidLike(uuid) ? (normalUuid(uuid) as T) : uuid;

export async function list(call: PlacementCall): Promise<Reply> {
  const filter = await providerFilter(call.db, call.query, call.version);
  const providers = filter ? await listProviders(call.db, filter) : [];
  const body = { resource_providers: providers.map((provider) => providerView(call, provider)) };
  return ok(body, cacheHeaders(call.version, newest(providers, call.now)));
}

export async function show(call: PlacementCall): Promise<Reply> {
  const provider = await providerInPath(call);
  return ok(providerView(call, provider), cacheHeaders(call.version, newest([provider], call.now)));
}

export async function create(call: PlacementCall): Promise<Reply> {
  const { name, uuid, parent_provider_uuid: parent } = call.body as ProviderBody;
  const provider = await createProvider(call, {
    uuid: normalized(uuid) ?? newUuid(),
    name,
    parentUuid: normalized(parent),
  });
  const location = { location: call.origin + providerUrl(call, provider.uuid) };
  if (!call.version.has('1.20')) return created(undefined, location);
  return ok(providerView(call, provider), { ...location, ...cacheHeaders(call.version, call.now) });
}

export async function update(call: PlacementCall): Promise<Reply> {
  const { name, parent_provider_uuid: parent } = call.body as ProviderBody;
  const change = { name, parentUuid: normalized(parent), mayMove: call.version.has('1.37') };
  const { before, after } = await changeProvider(call, call.params['uuid']!, change);
  // As in upstream, the time is the one before the update. A child that was never updated has none.
  return ok(providerView(call, after), cacheHeaders(call.version, before.updatedAt));
}

export async function remove(call: PlacementCall): Promise<Reply> {
  await deleteProvider(call.db, call.params['uuid']!);
  return noContent();
}
