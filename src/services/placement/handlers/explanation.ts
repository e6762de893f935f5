// Explains allocation candidates: those of a question, and those that Placement has returned.
import { explanationFormat } from '../../../emulator/explain/model.ts';
import { isExplained, recordDecision } from '../../../emulator/explain/record.ts';
import { systemContext } from '../../../kernel/context.ts';
import { transact } from '../../../kernel/db/transaction.ts';
import { ok } from '../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../kernel/model.ts';
import type { PlacementCall } from '../call.ts';
import type { CandidateRequest } from '../model.ts';
import type { AllocationCandidates } from '../domain/candidates/search.ts';
import {
  explainCandidates,
  keptLimits,
  type ExplainOptions,
} from '../domain/explanation/explain.ts';
import { candidatesExplanation, keptExplanation } from '../views/explanation.ts';
import { readQuestion } from './question.ts';

/**
 * GET /_emulator/explain/candidates: explains what `GET /allocation_candidates` returns for a
 * query.
 * @throws 400 for an unknown region or version, and for a query that Placement refuses
 */
export async function candidates(call: Call): Promise<Reply> {
  const { cloud, now } = call;
  const { region, request, nested } = readQuestion(call);
  const options = { nested, config: cloud.config };
  const explained = await transact(region.database.db, (db) =>
    explainCandidates(systemContext(cloud, region, db, now), request, options),
  );
  return ok({
    explanation: {
      format: explanationFormat,
      region: region.name,
      ...candidatesExplanation(explained),
    },
  });
}

/**
 * Keeps why a client's request has no candidates, under the id of the request. A list with
 * candidates is explained only if the cloud explains all decisions. A search that continues after
 * its transaction is not explained, because the rows that it has read may have changed.
 */
export async function keepExplanation(
  call: PlacementCall,
  request: CandidateRequest,
  {
    found,
    nested,
    usage,
  }: Pick<ExplainOptions, 'nested' | 'usage'> & { found: AllocationCandidates },
): Promise<void> {
  if (found.more) return;
  const decision = {
    kind: 'candidates',
    subject: null,
    outcome: found.candidates.length ? 'success' : 'failure',
  } as const;
  if (!isExplained(call, decision.outcome)) return;
  const options = { nested, config: call.cloud.config, found, usage, ...keptLimits };
  const explained = keptExplanation(await explainCandidates(call, request, options));
  recordDecision(call, decision, () => explained);
}
