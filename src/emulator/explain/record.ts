// Records why services decide as they do.
import type { Context } from '../../kernel/model.ts';
import { collectedIn } from './dry-run.ts';
import type { Decision, Explanation, LostChoice } from './model.ts';

/** The maximum length of a name. */
const maxName = 255;

/**
 * Whether a decision with this outcome is explained. Ask it before reading what only an explanation
 * needs.
 */
export const isExplained = ({ cloud, db }: Context, outcome: Decision['outcome']): boolean =>
  outcome !== 'success' || cloud.sharedState.cached.explainsAll || collectedIn(db) !== undefined;

/**
 * Records the explanation of a decision. Failures, and decisions that give less than was asked for,
 * are always explained; successes only if the cloud explains all decisions. Call it where the
 * decision is taken, with what the decision has read.
 * @param explain is called only if the explanation is kept, with what earlier attempts of the same
 *   transaction chose: another transaction has changed what they had read
 */
export function recordDecision(
  context: Context,
  decision: Decision,
  explain: (lost: readonly LostChoice[]) => Omit<Explanation, keyof Decision>,
): void {
  const { cloud, region, requestId, now, attempt } = context;
  const { kind, outcome, name = '', choice } = decision;
  const key = { region, requestId, kind, subject: decision.subject ?? '' };
  const collected = collectedIn(context.db);
  const isNoted = !collected && (choice !== undefined || attempt > 1);
  const lost = isNoted ? cloud.explanations.choose({ ...key, now }, attempt, choice) : [];
  if (!isExplained(context, outcome)) {
    // The transaction of several jobs may have failed before, and this job runs alone.
    if (attempt > 1 || cloud.explanations.hasFailure(requestId)) cloud.explanations.drop(key);
    return;
  }
  const { summary, text, details } = explain(lost);
  if (collected) return void collected.push({ ...decision, summary, text, details });
  cloud.explanations.add({
    ...key,
    name: name.slice(0, maxName),
    outcome,
    explanation: { summary, text, details },
    createdAt: now,
  });
}
