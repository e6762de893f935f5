// Explains how the policies of a cluster decide about an action: what each reads, decides and cuts.
import type { Explanation } from '../../../../emulator/explain/model.ts';
import { recordDecision } from '../../../../emulator/explain/record.ts';
import { isoSeconds, SECOND, type Micros } from '../../../../kernel/clock.ts';
import type { Context } from '../../../../kernel/model.ts';
import { counted } from '../../../../kernel/user/sentences.ts';
import type { Action, ActionData, Cluster, Json, Policy } from '../../model.ts';

/** A step of a policy's decision: a sentence without its period, and its numbers. */
export interface PolicyNote {
  readonly text: string;
  readonly values?: Json;
}

/** Collects the steps of a policy's decision. What it gets is called only for an explanation. */
export interface Notes {
  /** A value that the policy has read, or a result of its arithmetic. */
  add(write: () => PolicyNote): void;
  /** A result that is less than the request asks for. */
  cut(write: () => PolicyNote): void;
}

/** How one policy checked an action. */
export interface PolicyCheck {
  readonly policy: string;
  readonly type: string;
  readonly phase: string;
  /** Why it did not check this action; undefined if it did. */
  readonly skipped?: string;
  readonly notes: readonly (() => PolicyNote)[];
  /** Whether it allowed less than the request asks for. */
  readonly isCut: boolean;
  readonly before: ActionData;
  /** Undefined if the check has thrown an error. */
  readonly after: ActionData | undefined;
}

/** Collects notes in a list. */
export class NoteList implements Notes {
  readonly notes: (() => PolicyNote)[] = [];
  isCut = false;

  add(write: () => PolicyNote): void {
    this.notes.push(write);
  }

  cut(write: () => PolicyNote): void {
    this.isCut = true;
    this.notes.push(write);
  }
}

/**
 * Records how the policies have checked an action. A check that cuts the action is explained like a
 * failure, because upstream does so without a word.
 * @param target the cluster or node that the action is about
 * @param failure why the action must not run; undefined if it may
 */
export function recordChecks(
  context: Context,
  action: Action,
  target: Named,
  checks: readonly PolicyCheck[],
  failure: string | undefined,
): void {
  if (!checks.length) return;
  const { id: subject, name } = action;
  const isCut = checks.some((one) => one.isCut);
  const outcome = failure !== undefined ? 'failure' : isCut ? 'partial' : 'success';
  recordDecision(context, { kind: 'action', subject, name, outcome }, () =>
    checksExplanation(action, target, checks, failure),
  );
}

/** Records why an action has failed, if no policy has refused it. */
export function recordFailedAction(
  context: Context,
  action: Action,
  of: Named | undefined,
  reason: string,
): void {
  const { id: subject, name, action: kind, target, inputs } = action;
  recordDecision(context, { kind: 'action', subject, name, outcome: 'failure' }, () => {
    const summary = sentence(`${titleOf(kind, of)} fails: ${reason}`);
    return {
      summary,
      text: [summary],
      details: { action: kind, target, inputs, reason, policies: [] },
    };
  });
}

/** The cooldown of a scaling policy. */
interface Cooldown {
  readonly policy: Pick<Policy, 'name' | 'type'>;
  /** When the policy last took part in an action. */
  readonly lastOp: Micros;
  /** In seconds. */
  readonly seconds: number;
}

/**
 * Records that a request is refused during a cooldown, before an action exists. The subject is the
 * cluster.
 */
export function recordCooldown(
  context: Context,
  kind: string,
  { id: subject, name }: Pick<Cluster, 'id' | 'name'>,
  { policy, lastOp, seconds }: Cooldown,
): void {
  recordDecision(context, { kind: 'action', subject, name, outcome: 'failure' }, () => {
    const elapsed = (context.now - lastOp) / SECOND;
    const ends = isoSeconds(lastOp + seconds * SECOND);
    const reason = `the cooldown of policy '${policy.name}' is still in progress`;
    const summary = sentence(`${titleOf(kind, { name })} is refused: ${reason}`);
    const since = `the last operation was ${elapsed} s ago`;
    const text = `${since}; the cooldown is ${seconds} s, until ${ends}`;
    const check: PolicyCheck = {
      policy: policy.name,
      type: policy.type,
      phase: 'BEFORE',
      notes: [() => ({ text, values: { cooldown: seconds, elapsed, ends } })],
      isCut: false,
      before: {},
      after: { status: 'ERROR', reason },
    };
    return {
      summary,
      text: [summary, `  ${policy.name} (${policy.type}): ${text}`],
      details: {
        action: kind,
        target: subject,
        inputs: {},
        reason,
        policies: [checkView(check)],
      },
    };
  });
}

type Named = Pick<Cluster, 'name'>;

/** Such as `CLUSTER_SCALE_OUT of web`. */
const titleOf = (kind: string, target: Named | undefined): string =>
  target ? `${kind} of ${target.name}` : kind;

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

function checksExplanation(
  { action: kind, target, inputs }: Action,
  of: Named,
  checks: readonly PolicyCheck[],
  failure: string | undefined,
): Pick<Explanation, 'summary' | 'text' | 'details'> {
  const ran = checks.filter(({ skipped }) => skipped === undefined);
  const cutting = [...new Set(checks.flatMap((one) => (one.isCut ? one.policy : [])))];
  const title = titleOf(kind, of);
  const summary =
    failure !== undefined
      ? sentence(`${title} fails: ${failure}`)
      : cutting.length
        ? `${title} is cut by ${cutting.join(' and ')}.`
        : `${title} passes ${counted(ran.length, 'check')} of policies.`;
  return {
    summary,
    text: [summary, ...checks.flatMap(checkText)],
    details: {
      action: kind,
      target,
      inputs,
      reason: failure ?? null,
      policies: checks.map(checkView),
    },
  };
}

function checkText(check: PolicyCheck): string[] {
  const { policy, type, phase, skipped, notes, after } = check;
  if (skipped !== undefined) return [`  ${policy} (${type}): not checked, ${skipped}`];
  const decision = decisionOf(check);
  return [
    `  ${policy} (${type}) ${phase.toLowerCase()} the action:`,
    ...notes.map((note) => `    ${note().text}`),
    ...Object.entries(decision).map(([name, value]) => `    ${name}: ${JSON.stringify(value)}`),
    ...(after?.status === 'ERROR' ? [`    refused: ${after.reason || 'no reason given'}`] : []),
  ];
}

const checkView = (check: PolicyCheck): object => ({
  policy: check.policy,
  type: check.type,
  phase: check.phase,
  skipped: check.skipped ?? null,
  steps: check.notes.map((note) => {
    const { text, values = {} } = note();
    return { text, ...values };
  }),
  cut: check.isCut,
  decision: decisionOf(check),
  refused: check.after?.status === 'ERROR' ? (check.after.reason ?? '') : null,
});

/** What a check has added to the data of the action. */
const decisionOf = ({ before, after }: PolicyCheck): Json =>
  Object.fromEntries(
    Object.entries(after ?? {}).filter(
      ([name, value]) =>
        name !== 'status' &&
        name !== 'reason' &&
        JSON.stringify(value) !== JSON.stringify(before[name]),
    ),
  );
