// Aggregates of a provider: bare UUIDs, kept as the client wrote them.
import { ok } from '../../../kernel/http/reply.ts';
import { aggregatesOf, ensureAggregates, replaceLinks } from '../store/links.ts';
import { bumpGeneration, type Provider } from '../store/resource-providers.ts';
import { cacheHeaders } from '../views/cache.ts';
import { generationChanged, providerOf } from './subject.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { PlacementCall } from '../call.ts';

export async function list(call: PlacementCall): Promise<Reply> {
  const provider = await providerOf(call);
  const aggregates = await aggregatesOf(call.db, provider.id);
  return shown(
    call,
    provider,
    aggregates.map(({ name }) => name),
  );
}

function shown(call: PlacementCall, { generation }: Provider, aggregates: readonly string[]): Reply {
  return ok(
    { aggregates, ...call.at.since('1.19', { resource_provider_generation: generation }) },
    cacheHeaders(call.at, call.now),
  );
}

export async function update(call: PlacementCall): Promise<Reply> {
  const provider = await providerOf(call);
  const body = call.body as string[] | { aggregates: string[]; resource_provider_generation: number };
  const guarded = !Array.isArray(body);
  if (guarded && body.resource_provider_generation !== provider.generation) throw generationChanged();
  const names = guarded ? body.aggregates : body;
  const before = await aggregatesOf(call.db, provider.id);
  const ids = await ensureAggregates(call.db, names, call.now);
  // From 1.19 on the generation goes up also where nothing changes; before, it never does.
  const after = guarded ? await bumpGeneration(call.db, provider, call.now, generationChanged()) : provider;
  await replaceLinks(call.db, 'aggregate', provider.id, before.map(({ id }) => id), names.map((name) => ids.get(name)!)); // prettier-ignore
  return shown(call, after, names);
}
