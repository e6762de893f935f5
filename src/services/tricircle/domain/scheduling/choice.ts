// The choice of a pod for a tenant: the one that it is bound to as long as that can be used, else
// the best of the others.
import { badRequest, conflict, ApiError } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { provisioningRegions } from '../../clients/identity.ts';
import { activeBindings } from '../../store/bindings.ts';
import { listPods } from '../../store/pods.ts';
import { readUsages } from '../../store/usages.ts';
import { bind, endBinding } from '../bindings.ts';
import { fillsOf, isExhausted } from '../exhaustion.ts';
import type { Binding, EndReason, Pod, Tag } from '../../model.ts';
import { settingsOf, type Settings } from '../settings.ts';
import { groupOf } from '../tags.ts';
import { passesAll } from './filters.ts';
import type { PodRequest, PodState } from './request.ts';
import { heaviest } from './weighers.ts';

/** What a pod is needed for. */
export interface PodQuestion {
  readonly projectId: string;
  /** Empty for any zone. */
  readonly azName: string;
  /** What flavor or volume type ask of a pod, as `requestTag` has it. */
  readonly requestTag: Tag;
  /** The pods of resources that the request refers to: what is created has to be with them. */
  readonly referencedPodIds: readonly string[];
}

/** What the choice rests on. */
interface Known {
  readonly settings: Settings;
  readonly states: readonly PodState[];
  readonly request: PodRequest;
}

/**
 * The pod in which a server or a volume is to be created. It binds the tenant, and moves the
 * binding on where its pod cannot be used any more: the binding is kept even where the pod refuses
 * the resource then.
 * @throws Contention; 400 `tricircle.pods_differ`, `tricircle.zone_differs`; 409
 *   `tricircle.under_maintenance`; 500 `tricircle.no_pod`
 */
export async function choosePod(context: Context, question: PodQuestion): Promise<Pod> {
  const { projectId, azName, requestTag, referencedPodIds } = question;
  const pods = await listPods(context.db);
  const referenced = podOfReferences(pods, referencedPodIds, azName);
  if (referenced) return referenced;
  const [settings, usages] = [await settingsOf(context), await readUsages(context.db)];
  const states = pods.map((pod) => ({
    pod,
    fills: fillsOf(pod, usages.get(pod.id), settings.thresholdPercent),
  }));
  const known = { settings, states, request: { azName, affinityGroup: groupOf(requestTag) } };
  const bindings = await activeBindings(context.db, projectId, known.request.affinityGroup);
  return (
    (await boundPod(context, known, bindings)) ??
    (await bindAnew(context, known, question, bindings))
  );
}

/**
 * The pod of what the request refers to; undefined where it refers to nothing. The tenant's
 * bindings do not matter.
 */
function podOfReferences(
  pods: readonly Pod[],
  ids: readonly string[],
  azName: string,
): Pod | undefined {
  const [id, ...others] = new Set(ids);
  if (id === undefined) return undefined;
  if (others.length)
    throw badRequest('Server and volume not in the same pod', { code: 'tricircle.pods_differ' });
  const pod = pods.find((one) => one.id === id);
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

/** The pod of the oldest binding that can still be used. */
async function boundPod(
  context: Context,
  known: Known,
  bindings: readonly Binding[],
): Promise<Pod | undefined> {
  const bound = bindings.flatMap(({ podId }) => known.states.filter(({ pod }) => pod.id === podId));
  return (await usable(context, known, bound))[0]?.pod;
}

/**
 * Those of the pods that pass the filters, and of which the catalog knows where they are. Whatever
 * is configured, the central region is none of them: its gateways would ask themselves.
 */
async function usable(
  context: Context,
  { settings, request }: Known,
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
  known: Known,
  question: PodQuestion,
  bindings: readonly Binding[],
): Promise<Pod> {
  const candidates = await usable(context, known, known.states);
  const {
    settings: { weighers },
    request: { azName, affinityGroup },
  } = known;
  const inZone = bindings.filter((binding) => azName === '' || binding.azName === azName);
  const [before] = inZone;
  // Who asks for any zone stays in the zone that it was in, if that is possible.
  const near = candidates.filter(({ pod }) => pod.azName === before?.azName);
  const chosen = heaviest(weighers, near) ?? heaviest(weighers, candidates);
  if (!chosen) throw noPod();
  const ending = bindings.filter(
    (binding) => inZone.includes(binding) || binding.azName === chosen.pod.azName,
  );
  for (const binding of ending) await endBinding(context, binding, whyNot(known, binding));
  await bind(context, {
    tenantId: question.projectId,
    pod: chosen.pod,
    startReason: before ? `rebind:${whyNot(known, before)}` : 'first',
    affinity: { tag: question.requestTag, group: affinityGroup },
  });
  return chosen.pod;
}

/** Why the pod of a binding is not used any more. */
function whyNot({ states }: Known, { podId, affinityGroup, azName }: Binding): EndReason {
  const { pod, fills } = states.find((state) => state.pod.id === podId)!;
  if (pod.isUnderMaintenance) return 'maintenance';
  if (isExhausted(fills)) return 'exhausted';
  return pod.affinityGroup !== affinityGroup || pod.azName !== azName
    ? 'pod_changed'
    : 'pod_unreachable';
}

/** Upstream: the gateways' words for any failure to choose. */
const noPod = (): ApiError =>
  new ApiError(500, 'Pod not configured or scheduling failure', { code: 'tricircle.no_pod' });
