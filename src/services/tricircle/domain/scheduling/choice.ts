// Chooses a pod for a tenant: the one that it is bound to if that is suitable, or else the best of
// the others.
import { ApiError } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { provisioningRegions } from '../../clients/identity.ts';
import { activeBindings, listBindings } from '../../store/bindings.ts';
import { listPods } from '../../store/pods.ts';
import { readUsages } from '../../store/usages.ts';
import { bind, endBinding } from '../bindings.ts';
import { computeFills, isExhausted } from '../exhaustion.ts';
import type { Binding, EndReason, Pod } from '../../model.ts';
import { loadSettings } from '../settings.ts';
import { groupOf, isServedBy } from '../tags.ts';
import { preferredPod } from '../volume-placement.ts';
import { causesOf } from './causes.ts';
import { newTrace, recordNoPod, recordPod, type Inputs, type PodTrace } from './explanation.ts';
import { ranking } from './ranking.ts';
import type { PodQuestion } from './question.ts';
import { findReferencedPod } from './references.ts';
import { noPod } from './refusals.ts';
import type { PodState } from './request.ts';

/**
 * Chooses the pod for a new server or volume. Binds the tenant, or replaces its binding if the pod
 * is no longer suitable. The binding stays even if the pod then refuses the resource.
 * @throws SerializationFailure; 400 `tricircle.pods_differ`, `tricircle.zone_differs`; 409
 *   `tricircle.under_maintenance`; 500 `tricircle.no_pod`
 */
export async function choosePod(context: Context, question: PodQuestion): Promise<Pod> {
  const trace = newTrace();
  try {
    const pod = await choose(context, question, trace);
    recordPod(context, question, trace, pod);
    return pod;
  } catch (error) {
    if (error instanceof ApiError) recordNoPod(context, question, trace, error.message);
    throw error;
  }
}

async function choose(context: Context, question: PodQuestion, trace: PodTrace): Promise<Pod> {
  const { projectId, azName, requestTag: tag, demand = {} } = question;
  const pods = await listPods(context.db);
  const referenced = findReferencedPod(pods, question);
  const fixed = referenced ?? (await findPreferredPod(context, pods, question));
  if (fixed) {
    trace.fixed = referenced ? 'referenced' : 'preferred';
    return fixed;
  }
  const [settings, usages] = [await loadSettings(context), await readUsages(context.db)];
  const states = pods.map((pod) => ({
    pod,
    fills: computeFills(pod, usages.get(pod.id), settings.thresholdPercent),
  }));
  const inputs = { settings, states, request: { azName, tag, demand }, group: groupOf(tag) };
  trace.inputs = inputs;
  const bindings = await activeBindings(context.db, projectId, inputs.group);
  trace.bindings = bindings;
  // A request for any zone stays in the tenant's zone as long as a pod there is suitable.
  const home = azName === '' ? await homeZone(context, projectId, bindings) : undefined;
  trace.home = home;
  const inHome = states.filter(({ pod }) => pod.azName === home);
  for (const considered of [...(home === undefined ? [] : [inHome]), states]) {
    const pod =
      (await findBoundPod(context, inputs, considered, bindings, trace)) ??
      (await bindAnew(context, inputs, considered, { projectId, bindings, trace }));
    if (pod) return pod;
  }
  throw noPod();
}

/**
 * The pod of the server that the project prefers for its new volumes, if it suits the request. It
 * may be under maintenance or exhausted.
 */
async function findPreferredPod(
  context: Context,
  pods: readonly Pod[],
  { projectId, azName, requestTag, isVolume = false }: PodQuestion,
): Promise<Pod | undefined> {
  const pod = isVolume ? await preferredPod(context, pods, projectId) : undefined;
  if (!pod || (azName !== '' && pod.azName !== azName)) return undefined;
  const isGeneral = !Object.keys(requestTag).length;
  if (!isGeneral && !isServedBy(requestTag, pod.resourceAffinityTag)) return undefined;
  return (await provisioningRegions(context, [pod.regionName])).has(pod.regionName)
    ? pod
    : undefined;
}

/**
 * The zone that a tenant was bound in first, among those in which it is bound now; undefined if it
 * is bound in none. A replaced binding is newer than the ones in other zones, but its zone is not.
 */
async function homeZone(
  { db }: Context,
  tenantId: string,
  bindings: readonly Binding[],
): Promise<string | undefined> {
  const [first] = bindings;
  const zones = new Set(bindings.map(({ azName }) => azName));
  if (!first || zones.size === 1) return first?.azName;
  const history = await listBindings(db, { tenantId, affinityGroup: first.affinityGroup });
  return history.find(({ azName }) => zones.has(azName))!.azName;
}

/** The pod of the oldest binding whose pod is among the considered ones and still suitable. */
async function findBoundPod(
  context: Context,
  inputs: Inputs,
  considered: readonly PodState[],
  bindings: readonly Binding[],
  trace: PodTrace,
): Promise<Pod | undefined> {
  const bound = bindings.flatMap(({ podId }) => considered.filter(({ pod }) => pod.id === podId));
  return (await suitablePods(context, inputs, bound, trace))[0]?.pod;
}

/** Selects the pods that no cause makes unsuitable, and whose services are in the catalog. */
async function suitablePods(
  context: Context,
  { settings, request }: Inputs,
  states: readonly PodState[],
  { unreachable }: PodTrace,
): Promise<PodState[]> {
  const passing = states.filter((state) => causesOf(context, state, settings, request).next().done);
  const names = passing.map(({ pod }) => pod.regionName);
  const regions = await provisioningRegions(context, names);
  for (const name of names) if (!regions.has(name)) unreachable.add(name);
  return passing.filter(({ pod }) => regions.has(pod.regionName));
}

/**
 * Binds the tenant to the best of the considered pods, in place of the bindings that it replaces.
 * @returns undefined if none of the pods is suitable
 */
async function bindAnew(
  context: Context,
  inputs: Inputs,
  considered: readonly PodState[],
  {
    projectId,
    bindings,
    trace,
  }: {
    readonly projectId: string;
    readonly bindings: readonly Binding[];
    readonly trace: PodTrace;
  },
): Promise<Pod | undefined> {
  const { settings, request, group } = inputs;
  const candidates = await suitablePods(context, inputs, considered, trace);
  const chosen = ranking(settings.weighers, candidates, request)[0]?.candidate;
  if (!chosen) return undefined;
  trace.weighed = candidates;
  const isReplaced = ({ azName, podId }: Binding): boolean =>
    request.azName === ''
      ? considered.some(({ pod }) => pod.id === podId)
      : azName === request.azName;
  const replaced = bindings.filter(isReplaced);
  const ending = bindings.filter(
    (binding) => replaced.includes(binding) || binding.azName === chosen.pod.azName,
  );
  for (const binding of ending) {
    const reason = endReasonOf(inputs, binding);
    trace.ended.push({ podId: binding.podId, reason });
    await endBinding(context, binding, reason);
  }
  const [previous] = replaced;
  await bind(context, {
    tenantId: projectId,
    pod: chosen.pod,
    startReason: previous ? `rebind:${endReasonOf(inputs, previous)}` : 'first',
    affinity: { tag: request.tag, group },
  });
  return chosen.pod;
}

/** Why the pod of a binding is no longer suitable. */
function endReasonOf(
  { states }: Inputs,
  { podId, resourceAffinityTag, azName }: Binding,
): EndReason {
  const { pod, fills } = states.find((state) => state.pod.id === podId)!;
  if (pod.isUnderMaintenance) return 'maintenance';
  if (isExhausted(fills)) return 'exhausted';
  return pod.azName === azName && isServedBy(resourceAffinityTag, pod.resourceAffinityTag)
    ? 'pod_unreachable'
    : 'pod_changed';
}
