// What handlers ask of a request: for whom it is, its body, and whether the rules allow it.
import { Fault } from '../../../kernel/fault.ts';
import { may } from '../../../kernel/http/steps.ts';
import type { Target } from '../../../kernel/auth/policy.ts';
import type { Actor, Work } from '../domain/actor.ts';
import { denied, hidden } from '../domain/refusals.ts';
import { waitForTurn } from '../store/quotas.ts';
import type { Call } from '../../../kernel/model.ts';

/** The caller as the Network's rules see them. */
export function actorOf(call: Call): Actor {
  const is = (rule: string): boolean =>
    call.caller !== undefined && call.service.policy.allows(rule, call.caller.credentials, {});
  return { projectId: call.caller?.projectId, isAdmin: is('context_is_admin'), isService: is('service_api') };
}

/** The work of a request. */
export const workOf = (call: Call): Work => ({ db: call.db, now: call.now, attempt: call.attempt, actor: actorOf(call) });

/** Who has lost a race before they wait for their turn, so that in the end everybody gets through. */
export async function queueUp(call: Call, projectId: string | undefined): Promise<void> {
  if (call.attempt > 1 && projectId) await waitForTurn(call.db, projectId);
}

/** Whether there is a rule of that name. */
export const hasRule = (call: Call, rule: string): boolean => Object.hasOwn(call.service.card.policy, rule);

/**
 * All of the rules must hold, those that there are. Who may not even see the thing is told that it is not there.
 * @throws 403, 404
 */
export function enforce(call: Call, rules: readonly string[], target: Target, showRule?: string): void {
  const asked = rules.filter((rule) => hasRule(call, rule));
  if (asked.every((rule) => may(call, rule, target))) return;
  if (showRule !== undefined && !may(call, showRule, target)) throw hidden();
  const said = asked.length > 1 ? `(${asked.map((rule) => `rule:${rule}`).join(' and ')})` : `rule:${asked[0]}`;
  throw denied('PolicyNotAuthorized', `${said} is disallowed by policy`);
}

/** The revision that `If-Match: revision_number=3` wants the thing to have. @throws 400 */
export function wantedRevision(call: Call): number | undefined {
  const tags = (call.headers['if-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^(W\/)?"?|"$/g, ''));
  const wanted = tags.filter((tag) => tag.startsWith('revision_number='));
  if (!wanted.length) return undefined;
  const bad = (why: string) => new Fault(400, `Bad if-match request: ${why}.`, { type: 'BadRequest' });
  if (wanted.length > 1) throw bad('Multiple revision_number etags are not supported.');
  const text = wanted[0]!.slice('revision_number='.length);
  if (!/^-?\d+$/.test(text)) throw bad('Revision number etag must be in the format of revision_number=<int>');
  return Number(text);
}

/** @throws 412 where the thing has another revision than the request wants */
export function checkRevision(call: Call, record: { readonly id: string; readonly revision_number: number }): void {
  const wanted = wantedRevision(call);
  if (wanted === undefined || wanted === record.revision_number) return;
  throw new Fault(412, `Constrained to ${wanted}, but current revision is ${record.revision_number}`, {
    type: 'RevisionNumberConstraintFailed',
  });
}
