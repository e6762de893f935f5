// What handlers ask of a request: whether the rules allow it, and which revision it wants a
// resource to have.
import { may } from '../../../kernel/http/steps.ts';
import type { Target } from '../../../kernel/oslo/policy.ts';
import { denied, hidden, badResource } from '../domain/refusals.ts';
import { NetworkError } from '../network-error.ts';
import type { Call } from '../../../kernel/model.ts';

/** Whether the service has a rule of that name. */
export const hasRule = (call: Call, rule: string): boolean =>
  Object.hasOwn(call.service.definition.policy, rule);

/**
 * Asks all of the rules, those that the service has. To a caller for whom `showRule` does not hold,
 * the resource does not exist.
 * @throws 403, 404
 */
export function enforce(
  call: Call,
  rules: readonly string[],
  target: Target,
  showRule?: string,
): void {
  const known = rules.filter((rule) => hasRule(call, rule));
  if (known.every((rule) => may(call, rule, target))) return;
  if (showRule !== undefined && !may(call, showRule, target)) throw hidden();
  const named =
    known.length > 1
      ? `(${known.map((rule) => `rule:${rule}`).join(' and ')})`
      : `rule:${known[0]}`;
  throw denied('PolicyNotAuthorized', `${named} is disallowed by policy`);
}

/** The revision that `If-Match: revision_number=3` asks for. @throws 400 */
function revisionInHeader(call: Call): number | undefined {
  const tags = (call.headers['if-match'] ?? '')
    .split(',')
    .map((tag) => tag.trim().replace(/^(W\/)?"?|"$/g, ''));
  const revisions = tags.filter((tag) => tag.startsWith('revision_number='));
  if (!revisions.length) return undefined;
  const invalid = (why: string) => badResource('if-match', why);
  if (revisions.length > 1) throw invalid('Multiple revision_number etags are not supported.');
  const text = revisions[0]!.slice('revision_number='.length);
  if (!/^-?\d+$/.test(text))
    throw invalid('Revision number etag must be in the format of revision_number=<int>');
  return Number(text);
}

/**
 * @throws 412 where the resource has another revision than the request asks for. Upstream:
 *   neutron/services/revisions/revision_plugin.py.
 */
export function checkRevision(
  call: Call,
  record: { readonly id: string; readonly revision_number: number },
): void {
  const revision = revisionInHeader(call);
  if (revision === undefined || revision === record.revision_number) return;
  throw new NetworkError(
    412,
    'RevisionNumberConstraintFailed',
    `Constrained to ${revision}, but current revision is ${record.revision_number}`,
  );
}
