// Aggregates of a provider: UUIDs, kept as the client wrote them.
import { ok } from '../../../kernel/http/reply.ts';
import { replaceAggregates } from '../domain/aggregates.ts';
import { aggregatesOf } from '../store/aggregates.ts';
import { aggregatesView } from '../views/aggregates.ts';
import { cacheHeaders } from '../views/cache.ts';
import { providerOf } from './subject.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { PlacementCall } from '../call.ts';

export async function list(call: PlacementCall): Promise<Reply> {
  const provider = await providerOf(call);
  const aggregates = await aggregatesOf(call.db, provider.id);
  const names = aggregates.map(({ name }) => name);
  return ok(aggregatesView(call.version, provider, names), cacheHeaders(call.version, call.now));
}

export async function update(call: PlacementCall): Promise<Reply> {
  const provider = await providerOf(call);
  const body = call.body as
    string[] | { aggregates: string[]; resource_provider_generation: number };
  const [names, generation] = Array.isArray(body)
    ? [body]
    : [body.aggregates, body.resource_provider_generation];
  const after = await replaceAggregates(call, provider, names, generation);
  return ok(aggregatesView(call.version, after, names), cacheHeaders(call.version, call.now));
}
