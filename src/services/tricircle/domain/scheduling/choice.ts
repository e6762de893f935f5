// Chooses a pod for a tenant: the one that it is bound to if that is suitable, or else the best of
// the others.
import type { Context } from '../../../../kernel/model.ts';
import { provisioningRegions } from '../../clients/identity.ts';
import { activeBindings, listBindings } from '../../store/bindings.ts';
import { listPods } from '../../store/pods.ts';
import { readUsages } from '../../store/usages.ts';
import { bind, endBinding } from '../bindings.ts';
import { computeFills, isExhausted } from '../exhaustion.ts';
import type { Binding, EndReason, Pod } from '../../model.ts';
import { loadSettings, type Settings } from '../settings.ts';
import { groupOf, isServedBy } from '../tags.ts';
import { preferredPod } from '../volume-placement.ts';
import { podFilters } from './filters/index.ts';
import { heaviest } from './ranking.ts';
import type { PodQuestion } from './question.ts';
import { findReferencedPod } from './references.ts';
import { noPod } from './refusals.ts';
import type { PodRequest, PodState } from './request.ts';

/** The data that the choice depends on. */
interface Inputs {
  readonly settings: Settings;
  readonly states: readonly PodState[];
  readonly request: PodRequest;
  /** The affinity group of the request. */
  readonly group: string;
}

/**
 * Chooses the pod for a new server or volume. Binds the tenant, or replaces its binding if the pod
 * is no longer suitable. The binding stays even if the pod then refuses the resource.
 * @throws SerializationFailure; 400 `tricircle.pods_differ`, `tricircle.zone_differs`; 409
 *   `tricircle.under_maintenance`; 500 `tricircle.no_pod`
 */
export async function choosePod(context: Context, question: PodQuestion): Promise<Pod> {
  const { projectId, azName, requestTag: tag, demand = {} } = question;
  const pods = await listPods(context.db);
  const fixed =
    findReferencedPod(pods, question) ?? (await findPreferredPod(context, pods, question));
  if (fixed) return fixed;
  const [settings, usages] = [await loadSettings(context), await readUsages(context.db)];
  const states = pods.map((pod) => ({
    pod,
    fills: computeFills(pod, usages.get(pod.id), settings.thresholdPercent),
  }));
  const inputs = { settings, states, request: { azName, tag, demand }, group: groupOf(tag) };
  const bindings = await activeBindings(context.db, projectId, inputs.group);
  // A request for any zone stays in the tenant's zone as long as a pod there is suitable.
  const home = azName === '' ? await homeZone(context, projectId, bindings) : undefined;
  const inHome = states.filter(({ pod }) => pod.azName === home);
  for (const considered of [...(home === undefined ? [] : [inHome]), states]) {
    const pod =
      (await findBoundPod(context, inputs, considered, bindings)) ??
      (await bindAnew(context, inputs, considered, { projectId, bindings }));
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
): Promise<Pod | undefined> {
  const bound = bindings.flatMap(({ podId }) => considered.filter(({ pod }) => pod.id === podId));
  return (await suitablePods(context, inputs, bound))[0]?.pod;
}

/**
 * Selects the pods that can be used at all and pass the filters of the settings. Whatever these
 * are, it rejects pods that are under maintenance, exhausted or without services in the catalog,
 * and the central region, whose gateways would call themselves.
 */
async function suitablePods(
  context: Context,
  { settings, request }: Inputs,
  states: readonly PodState[],
): Promise<PodState[]> {
  const isCentral = ({ azName, regionName }: Pod): boolean =>
    azName === '' || context.cloud.regions.get(regionName)?.isCentral === true;
  const filters = podFilters.filter(({ name }) => settings.filters.includes(name));
  const passing = states.filter(
    (state) =>
      !isCentral(state.pod) &&
      !state.pod.isUnderMaintenance &&
      !isExhausted(state.fills) &&
      filters.every((filter) => filter.passes(state, request)),
  );
  const regions = await provisioningRegions(
    context,
    passing.map(({ pod }) => pod.regionName),
  );
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
  { projectId, bindings }: { readonly projectId: string; readonly bindings: readonly Binding[] },
): Promise<Pod | undefined> {
  const { settings, request, group } = inputs;
  const candidates = await suitablePods(context, inputs, considered);
  const chosen = heaviest(settings.weighers, candidates, request);
  if (!chosen) return undefined;
  const isReplaced = ({ azName, podId }: Binding): boolean =>
    request.azName === ''
      ? considered.some(({ pod }) => pod.id === podId)
      : azName === request.azName;
  const replaced = bindings.filter(isReplaced);
  const ending = bindings.filter(
    (binding) => replaced.includes(binding) || binding.azName === chosen.pod.azName,
  );
  for (const binding of ending) await endBinding(context, binding, endReasonOf(inputs, binding));
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
