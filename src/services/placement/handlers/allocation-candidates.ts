// Lists allocation candidates: the ways to allocate the resources of a request.
import { joined, ok } from '../../../kernel/http/reply.ts';
import { findCandidates } from '../domain/candidates/find.ts';
import { readCandidateRequest } from '../domain/candidates/request.ts';
import type { AllocationCandidates } from '../domain/candidates/search.ts';
import {
  candidatesJson,
  candidatesText,
  idsToName,
  type CandidatesText,
} from '../views/allocation-candidates.ts';
import { cacheHeaders } from '../views/cache.ts';
import { keepExplanation } from './explanation.ts';
import { KnownUsage } from '../store/used.ts';
import { classTable, namesOf, traitTable } from '../store/names.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { PlacementCall } from '../call.ts';

/** The number of search steps within the transaction; they take some milliseconds. */
const stepsInTransaction = 20_000;

export async function list(call: PlacementCall): Promise<Reply> {
  const { version, db } = call;
  const request = readCandidateRequest(call.query, version);
  const options = {
    nested: version.has('1.29'),
    config: call.cloud.config,
    steps: stepsInTransaction,
    usage: new KnownUsage(),
  };
  const found = await findCandidates(db, request, options);
  await keepExplanation(call, request, { found, ...options });
  const ids = idsToName(found);
  const names = {
    classes: await namesOf(db, classTable, ids.classes),
    traits: await namesOf(db, traitTable, ids.traits),
  };
  const text = candidatesText(version, request.groups, found, names);
  return ok(
    found.more ? streamCandidates(text, found, found.more) : joined(candidatesJson(text, found)),
    cacheHeaders(version, call.now),
  );
}

/** The number of characters that are sent at once. */
const pieceLength = 65_536;

/** Writes a reply while the search goes on. */
async function* streamCandidates(
  text: CandidatesText,
  { candidates }: AllocationCandidates,
  more: NonNullable<AllocationCandidates['more']>,
): AsyncGenerator<string> {
  let piece = text.begin();
  for (const candidate of candidates) piece += text.candidate(candidate);
  for await (const candidate of more) {
    piece += text.candidate(candidate);
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  for (const end of text.end()) {
    piece += end;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}
