// Explains the choice of a pod: from the pods, usages and bindings that the choice has read.
import type { Explanation } from '../../../../emulator/explain/model.ts';
import { recordDecision } from '../../../../emulator/explain/record.ts';
import type { Context } from '../../../../kernel/model.ts';
import { counted } from '../../../../kernel/user/sentences.ts';
import type { Binding, EndReason, Pod } from '../../model.ts';
import type { Settings } from '../settings.ts';
import { causesOf, causeText, type PodCause } from './causes.ts';
import type { PodQuestion } from './question.ts';
import { ranking } from './ranking.ts';
import type { PodRequest, PodState } from './request.ts';

/** The data that the choice depends on. */
export interface Inputs {
  readonly settings: Settings;
  readonly states: readonly PodState[];
  readonly request: PodRequest;
  /** The affinity group of the request. */
  readonly group: string;
}

/** What a choice has read and decided so far. */
export interface PodTrace {
  /** Undefined if the request refers to a resource in a pod, or prefers the pod of one. */
  inputs?: Inputs;
  bindings?: readonly Binding[];
  /** The zone in which a request for any zone stays if possible. */
  home?: string | undefined;
  /** Why the pod is given, if it is. */
  fixed?: 'referenced' | 'preferred';
  /** The names of regions that the catalog does not have. */
  readonly unreachable: Set<string>;
  /** The suitable pods that were weighed; undefined if the binding was kept. */
  weighed?: readonly PodState[];
  readonly ended: { readonly podId: string; readonly reason: EndReason }[];
}

export const newTrace = (): PodTrace => ({ unreachable: new Set(), ended: [] });

/** Records the pod of a new server or volume. */
export function recordPod(
  context: Context,
  question: PodQuestion,
  trace: PodTrace,
  pod: Pod,
): void {
  const { projectId: subject, name = '' } = question;
  recordDecision(context, { kind: 'pod', subject, name, outcome: 'success' }, () =>
    explanationOf(context, question, trace, successSummary(trace, pod), pod),
  );
}

/** Records why there is no pod for a new server or volume. */
export function recordNoPod(
  context: Context,
  question: PodQuestion,
  trace: PodTrace,
  message: string,
): void {
  const { projectId: subject, name = '' } = question;
  recordDecision(context, { kind: 'pod', subject, name, outcome: 'failure' }, () => {
    const states = trace.inputs?.states;
    const summary = states
      ? `None of ${counted(states.length, 'pod')} is suitable.`
      : message.endsWith('.')
        ? message
        : `${message}.`;
    return explanationOf(context, question, trace, summary, undefined);
  });
}

function successSummary({ fixed, weighed, ended, inputs }: PodTrace, { regionName }: Pod): string {
  if (fixed === 'referenced') return `${regionName} has the resources that the request refers to.`;
  if (fixed) return `${regionName} has the server that the project prefers for its volumes.`;
  if (!weighed) return `The project keeps its binding to ${regionName}.`;
  const ends = ended.map(({ podId, reason }) => `${nameOf(inputs!, podId)} (${reason})`);
  return (
    `${regionName} is the best of ${counted(weighed.length, 'suitable pod')}` +
    `${ends.length ? `; the binding to ${ends.join(', ')} ended` : ''}.`
  );
}

const nameOf = ({ states }: Inputs, podId: string): string =>
  states.find(({ pod }) => pod.id === podId)?.pod.regionName ?? podId;

function explanationOf(
  context: Context,
  { azName, requestTag: tag, demand = {} }: PodQuestion,
  trace: PodTrace,
  summary: string,
  chosen: Pod | undefined,
): Pick<Explanation, 'summary' | 'text' | 'details'> {
  const { inputs, weighed, ended, bindings = [], home, fixed } = trace;
  const pods = inputs ? inputs.states.map((state) => podView(context, inputs, trace, state)) : [];
  const ranked =
    inputs && weighed ? ranking(inputs.settings.weighers, weighed, inputs.request) : [];
  const weights = ranked.map(({ candidate, total, weights: parts }) => ({
    pod: candidate.pod.regionName,
    weight: total,
    weighers: Object.fromEntries(parts),
  }));
  return {
    summary,
    text: [
      summary,
      ...(home === undefined ? [] : [`  the project stays in the zone ${home} if it can`]),
      ...pods
        .filter(({ causes }) => causes.length)
        .map(({ pod, causes }) => `  ${pod} ${causes.map(({ text }) => text).join('; ')}`),
      ...weights.map(({ pod, weight }) => `  ${pod}: weight ${weight.toFixed(3)}`),
    ],
    details: {
      request: { availability_zone: azName, tag, demand },
      fixed: fixed ?? null,
      home_zone: home ?? null,
      bindings: bindings.map(({ podId }) => ({
        pod: inputs ? nameOf(inputs, podId) : podId,
        ended: ended.find((one) => one.podId === podId)?.reason ?? null,
      })),
      pods,
      weights,
      selected: chosen?.regionName ?? null,
    },
  };
}

/** A pod with all causes that make it unsuitable. */
function podView(
  context: Context,
  { settings, request }: Inputs,
  { unreachable }: PodTrace,
  state: PodState,
): {
  readonly pod: string;
  readonly zone: string;
  readonly causes: readonly { readonly cause: string; readonly text: string }[];
  readonly usage: PodState['fills'];
} {
  const { regionName, azName } = state.pod;
  const causes: PodCause[] = [...causesOf(context, state, settings, request)];
  if (unreachable.has(regionName)) causes.push({ cause: 'unreachable' });
  return {
    pod: regionName,
    zone: azName,
    causes: causes.map((cause) => ({
      cause: cause.cause === 'filter' ? cause.filter : cause.cause,
      text: causeText(cause),
    })),
    usage: state.fills,
  };
}
