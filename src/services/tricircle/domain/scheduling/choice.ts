// Chooses a pod for a tenant: the one that it is bound to if that is suitable, or else the best of
// the others.
import { badRequest, conflict, ApiError } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { provisioningRegions } from '../../clients/identity.ts';
import { activeBindings } from '../../store/bindings.ts';
import { listPods } from '../../store/pods.ts';
import { readUsages } from '../../store/usages.ts';
import { bind, endBinding } from '../bindings.ts';
import { computeFills, isExhausted } from '../exhaustion.ts';
import type { Binding, EndReason, Pod, Tag } from '../../model.ts';
import { loadSettings, type Settings } from '../settings.ts';
import { groupOf } from '../tags.ts';
import { passesAll } from './filters.ts';
import type { PodRequest, PodState } from './request.ts';
import { heaviest } from './weighers.ts';

/** The requirements on a pod for a new server or volume. */
export interface PodQuestion {
  readonly projectId: string;
  /** Empty for any zone. */
  readonly azName: string;
  /** The tag that the flavor or volume type requires: see `requestTag`. */
  readonly requestTag: Tag;
  /** The pods of resources that the request refers to, such as the volumes of a new server. */
  readonly referencedPodIds: readonly string[];
}

/** The data that the choice depends on. */
interface Inputs {
  readonly settings: Settings;
  readonly states: readonly PodState[];
  readonly request: PodRequest;
}

/**
 * Chooses the pod for a new server or volume. Binds the tenant, or replaces its binding if the pod
 * is no longer suitable. The binding stays even if the pod then refuses the resource.
 * @throws SerializationFailure; 400 `tricircle.pods_differ`, `tricircle.zone_differs`; 409
 *   `tricircle.under_maintenance`; 500 `tricircle.no_pod`
 */
export async function choosePod(context: Context, question: PodQuestion): Promise<Pod> {
  const { projectId, azName, requestTag, referencedPodIds } = question;
  const pods = await listPods(context.db);
  const referenced = findReferencedPod(pods, referencedPodIds, azName);
  if (referenced) return referenced;
  const [settings, usages] = [await loadSettings(context), await readUsages(context.db)];
  const states = pods.map((pod) => ({
    pod,
    fills: computeFills(pod, usages.get(pod.id), settings.thresholdPercent),
  }));
  const inputs = { settings, states, request: { azName, affinityGroup: groupOf(requestTag) } };
  const bindings = await activeBindings(context.db, projectId, inputs.request.affinityGroup);
  return (
    (await boundPod(context, inputs, bindings)) ??
    (await bindAnew(context, inputs, question, bindings))
  );
}

/**
 * The pod of the resources that the request refers to, whatever the tenant's bindings are;
 * undefined if it does not refer to any.
 */
function findReferencedPod(
  pods: readonly Pod[],
  ids: readonly string[],
  azName: string,
): Pod | undefined {
  const [id, ...others] = new Set(ids);
  if (id === undefined) return undefined;
  if (others.length)
    throw badRequest('Server and volume not in the same pod', { code: 'tricircle.pods_differ' });
  const pod = pods.find((candidate) => candidate.id === id);
  if (!pod) throw noPod();
  if (azName !== '' && azName !== pod.azName)
    throw badRequest(
      `The resource that is referred to is in the availability zone ${pod.azName} and not in ${azName}.`,
      { code: 'tricircle.zone_differs' },
    );
  if (pod.isUnderMaintenance)
    throw conflict(`The pod ${pod.regionName} is under maintenance.`, {
      code: 'tricircle.under_maintenance',
    });
  return pod;
}

/** The pod of the oldest binding whose pod is still suitable. */
async function boundPod(
  context: Context,
  inputs: Inputs,
  bindings: readonly Binding[],
): Promise<Pod | undefined> {
  const bound = bindings.flatMap(({ podId }) =>
    inputs.states.filter(({ pod }) => pod.id === podId),
  );
  return (await suitablePods(context, inputs, bound))[0]?.pod;
}

/**
 * Selects the pods that pass the filters, and have services in the catalog. Always excludes the
 * central region, because its gateways would call themselves.
 */
async function suitablePods(
  context: Context,
  { settings, request }: Inputs,
  states: readonly PodState[],
): Promise<PodState[]> {
  const isCentral = ({ azName, regionName }: Pod): boolean =>
    azName === '' || context.cloud.regions.get(regionName)?.isCentral === true;
  const passing = states.filter(
    (state) => !isCentral(state.pod) && passesAll(settings.filters, state, request),
  );
  const regions = await provisioningRegions(
    context,
    passing.map(({ pod }) => pod.regionName),
  );
  return passing.filter(({ pod }) => regions.has(pod.regionName));
}

async function bindAnew(
  context: Context,
  inputs: Inputs,
  question: PodQuestion,
  bindings: readonly Binding[],
): Promise<Pod> {
  const candidates = await suitablePods(context, inputs, inputs.states);
  const {
    settings: { weighers },
    request: { azName, affinityGroup },
  } = inputs;
  const inZone = bindings.filter((binding) => azName === '' || binding.azName === azName);
  const [previous] = inZone;
  // A request for any zone prefers the zone of the previous binding.
  const inSameZone = candidates.filter(({ pod }) => pod.azName === previous?.azName);
  const chosen = heaviest(weighers, inSameZone) ?? heaviest(weighers, candidates);
  if (!chosen) throw noPod();
  const ending = bindings.filter(
    (binding) => inZone.includes(binding) || binding.azName === chosen.pod.azName,
  );
  for (const binding of ending) await endBinding(context, binding, endReasonOf(inputs, binding));
  await bind(context, {
    tenantId: question.projectId,
    pod: chosen.pod,
    startReason: previous ? `rebind:${endReasonOf(inputs, previous)}` : 'first',
    affinity: { tag: question.requestTag, group: affinityGroup },
  });
  return chosen.pod;
}

/** Why the pod of a binding is no longer suitable. */
function endReasonOf({ states }: Inputs, { podId, affinityGroup, azName }: Binding): EndReason {
  const { pod, fills } = states.find((state) => state.pod.id === podId)!;
  if (pod.isUnderMaintenance) return 'maintenance';
  if (isExhausted(fills)) return 'exhausted';
  return pod.affinityGroup !== affinityGroup || pod.azName !== azName
    ? 'pod_changed'
    : 'pod_unreachable';
}

/** The error for any failure to choose a pod, with the message of upstream's gateways. */
const noPod = (): ApiError =>
  new ApiError(500, 'Pod not configured or scheduling failure', { code: 'tricircle.no_pod' });
