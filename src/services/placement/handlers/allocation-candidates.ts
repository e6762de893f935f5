// Allocation candidates: ways in which a request could be served.
import { ok } from '../../../kernel/http/reply.ts';
import { planOf } from '../domain/candidates/plan.ts';
import { readQuery } from '../domain/candidates/request.ts';
import { search, type Found } from '../domain/candidates/search.ts';
import { candidatesJson, namesIn } from '../views/allocation-candidates.ts';
import { cacheHeaders } from '../views/cache.ts';
import { classTable, namesOf, traitTable } from '../store/names.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { PlacementCall } from '../call.ts';

const nothing: Found = { candidates: [], trees: new Map() };

export async function list(call: PlacementCall): Promise<Reply> {
  const { at, db } = call;
  const plan = await planOf(db, readQuery(call.query, at));
  const found = plan ? await search(db, plan, { nested: at.has('1.29'), showTraits: at.has('1.17') }) : nothing;
  const ids = namesIn(found);
  const names = { classes: await namesOf(db, classTable, ids.classes), traits: await namesOf(db, traitTable, ids.traits) };
  return ok(candidatesJson(at, plan?.groups ?? [], found, names), cacheHeaders(at, call.now));
}
