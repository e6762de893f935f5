// Shows the usages of a provider, and of a project.
import { ok } from '../../../kernel/http/reply.ts';
import { totalUsages, usagesByType } from '../domain/usages.ts';
import { cacheHeaders } from '../views/cache.ts';
import { providerUsagesView, usagesByTypeView } from '../views/usages.ts';
import { inventoriesInPath, missing } from './subject.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { PlacementCall } from '../call.ts';

export async function show(call: PlacementCall): Promise<Reply> {
  return ok(
    providerUsagesView(await inventoriesInPath(call, missing.twice)),
    cacheHeaders(call.version, call.now),
  );
}

export async function list(call: PlacementCall): Promise<Reply> {
  const { version, db, now, query } = call;
  const filter = { projectId: query.last('project_id')!, userId: query.last('user_id') };
  const usages = version.has('1.38')
    ? usagesByTypeView(await usagesByType(db, filter, query.last('consumer_type')))
    : await totalUsages(db, filter);
  return ok({ usages }, cacheHeaders(version, now));
}
