// Checks that handlers make on a request: its policy rules, and the revision in its If-Match
// header.
import { may } from '../../../kernel/http/steps.ts';
import type { Target } from '../../../kernel/oslo/policy.ts';
import { badInput, badResource, denied, hidden } from '../domain/refusals.ts';
import { NetworkError } from '../network-error.ts';
import type { Call } from '../../../kernel/model.ts';

/** Whether the service has a policy rule of that name. */
export const hasRule = (call: Call, rule: string): boolean =>
  Object.hasOwn(call.service.definition.policy, rule);

/**
 * Enforces those of the rules that the service has. The error is 404 instead of 403 if the caller
 * may not see the resource according to `showRule`.
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

/** @throws 400 if a DELETE has a body */
export function refuseBody({ raw }: Call): void {
  if (raw?.length) throw badInput('Request body is not supported in DELETE.');
}

/** Reads the revision in `If-Match: revision_number=3`. @throws 400 */
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
 * @throws 412 if the resource has another revision than the request requires. Upstream:
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
