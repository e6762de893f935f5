// Usages: of a provider, and of a project.
import { ok } from '../../../kernel/http/reply.ts';
import { authorize } from '../../../kernel/http/steps.ts';
import { countConsumers, sumUsage, type UsageRow } from '../store/allocations.ts';
import { listInventories } from '../store/inventories.ts';
import { classTable, namesOf } from '../store/names.ts';
import { cacheHeaders } from '../views/cache.ts';
import { missing, providerOf } from './subject.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { PlacementCall } from '../call.ts';

export async function show(call: PlacementCall): Promise<Reply> {
  const provider = await providerOf(call, missing.twice);
  const inventories = await listInventories(call.db, provider.id);
  const names = await namesOf(call.db, classTable, inventories.map(({ classId }) => classId)); // prettier-ignore
  const usages = Object.fromEntries(inventories.map(({ classId, used }) => [names.get(classId), used]));
  return ok({ resource_provider_generation: provider.generation, usages }, cacheHeaders(call.at, call.now));
}

export async function list(call: PlacementCall): Promise<Reply> {
  const projectId = call.query.last('project_id')!;
  const userId = call.query.last('user_id');
  authorize(call, 'placement:usages', { project_id: projectId });
  const rows = await sumUsage(call.db, projectId, userId);
  const names = await namesOf(call.db, classTable, rows.map(({ classId }) => classId)); // prettier-ignore
  const headers = cacheHeaders(call.at, call.now);
  if (!call.at.has('1.38')) return ok({ usages: totals(rows, names) }, headers);
  return ok(
    { usages: byType(call.query.last('consumer_type'), rows, await countConsumers(call.db, projectId, userId), names) },
    headers,
  );
}

function totals(rows: readonly UsageRow[], names: ReadonlyMap<number, string>): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { classId, used } of rows) {
    const name = names.get(classId)!;
    sums[name] = (sums[name] ?? 0) + used;
  }
  return sums;
}

/** Usage by type of consumer: of one type, of all together (`all`), or of each; consumers without a type are `unknown`. */
function byType(
  wanted: string | undefined,
  rows: readonly UsageRow[],
  counts: ReadonlyMap<string | null, number>,
  names: ReadonlyMap<number, string>,
): Record<string, object> {
  const group = (key: string, types: (string | null)[]): [string, object] => {
    const count = types.reduce((sum, type) => sum + (counts.get(type) ?? 0), 0);
    return [key, { ...totals(rows.filter((row) => types.includes(row.typeName)), names), consumer_count: count }]; // prettier-ignore
  };
  const types = [...new Set(rows.map((row) => row.typeName))];
  if (!types.length) return {};
  if (wanted === 'all') return Object.fromEntries([group('all', types)]);
  const shown = types.filter((type) => wanted === undefined || (type ?? 'unknown') === wanted);
  return Object.fromEntries(shown.map((type) => group(type ?? 'unknown', [type])));
}
