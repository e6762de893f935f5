// Placement's part of the emulator's own API: counts how often candidates can be claimed.
import { capacityView } from '../../../emulator/capacity/report.ts';
import { systemContext } from '../../../kernel/context.ts';
import { transact } from '../../../kernel/db/transaction.ts';
import { ok } from '../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../kernel/model.ts';
import { countCandidates } from '../domain/capacity/count.ts';
import { measuredCandidates } from '../views/capacity.ts';
import { readQuestion } from './question.ts';

/**
 * GET /_emulator/capacity/candidates: counts how often `GET /allocation_candidates` has a candidate
 * for a query, if the first one is claimed each time.
 * @throws 400 for an unknown region or version, and for a query that Placement refuses
 */
export async function candidates(call: Call): Promise<Reply> {
  const { cloud, now } = call;
  const { region, request, nested } = readQuestion(call);
  const counted = await transact(region.database.db, (db) =>
    countCandidates(systemContext(cloud, region, db, now), request, nested),
  );
  return ok({ capacity: capacityView(region.name, measuredCandidates(counted)) });
}
