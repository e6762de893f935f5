// Operations on the aggregates of a provider. An aggregate is a UUID, in the client's spelling.
import { ok } from '../../../kernel/http/reply.ts';
import { replaceAggregates } from '../domain/aggregates.ts';
import { listProviderAggregates } from '../store/aggregates.ts';
import { aggregatesView } from '../views/aggregates.ts';
import { cacheHeaders } from '../views/cache.ts';
import { providerInPath } from './subject.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { PlacementCall } from '../call.ts';

export async function list(call: PlacementCall): Promise<Reply> {
  const provider = await providerInPath(call);
  const aggregates = await listProviderAggregates(call.db, provider.id);
  const names = aggregates.map(({ name }) => name);
  return ok(aggregatesView(call.version, provider, names), cacheHeaders(call.version, call.now));
}

export async function update(call: PlacementCall): Promise<Reply> {
  const provider = await providerInPath(call);
  const body = call.body as
    string[] | { aggregates: string[]; resource_provider_generation: number };
  const [names, generation] = Array.isArray(body)
    ? [body]
    : [body.aggregates, body.resource_provider_generation];
  const after = await replaceAggregates(call, provider, names, generation);
  return ok(aggregatesView(call.version, after, names), cacheHeaders(call.version, call.now));
}
