// Allocation candidates: the ways in which a request can be served.
import { ok } from '../../../kernel/http/reply.ts';
import { readCandidateRequest } from '../domain/candidates/request.ts';
import { resolveRequest } from '../domain/candidates/resolve.ts';
import { search, type AllocationCandidates } from '../domain/candidates/search.ts';
import { candidatesJson, namesIn } from '../views/allocation-candidates.ts';
import { cacheHeaders } from '../views/cache.ts';
import { classTable, namesOf, traitTable } from '../store/names.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { PlacementCall } from '../call.ts';

const none: AllocationCandidates = { candidates: [], trees: new Map() };

export async function list(call: PlacementCall): Promise<Reply> {
  const { at, db } = call;
  const request = await resolveRequest(db, readCandidateRequest(call.query, at));
  const found = request ? await search(db, request, { nested: at.has('1.29'), showTraits: at.has('1.17') }) : none;
  const ids = namesIn(found);
  const names = { classes: await namesOf(db, classTable, ids.classes), traits: await namesOf(db, traitTable, ids.traits) };
  return ok(candidatesJson(at, request?.groups ?? [], found, names), cacheHeaders(at, call.now));
}
