// Handlers for limits and quotas: limits are the central region's, usage is the sum over all pods.
import { ok } from '../../../kernel/http/reply.ts';
import { authorize } from '../../../kernel/http/steps.ts';
import { boolFromString } from '../../../kernel/oslo/booleans.ts';
import type { GatewayCall, Handler, Json } from '../call.ts';
import { requestFromCentre } from '../clients/centre.ts';
import { successBody } from '../clients/message.ts';
import { leaveOut, requestFromPod } from '../clients/pods.ts';
import { podsOfProject } from '../clients/tricircle.ts';
import { checkNewServerLimits } from '../domain/compute-quotas.ts';
import { checkNewVolumeLimits } from '../domain/volume-quotas.ts';
import { replyOf } from '../views/replies.ts';
import { writeEverywhere } from './central.ts';

/** GET /limits of either service. */
export const limits: Handler = async (call) => {
  type Limits = { limits: { absolute: Json } } | undefined;
  const reply = await requestFromCentre(call);
  const central = successBody(reply) as Limits;
  if (!central) return replyOf(reply);
  const podLimits = (await readInPods(call)) as Limits[];
  const absolute = Object.entries(central.limits.absolute).map(([name, value]) => [
    name,
    /^total\w+Used$/.test(name)
      ? sum(podLimits.map((inPod) => inPod?.limits.absolute[name]))
      : value,
  ]);
  return ok({ limits: { ...central.limits, absolute: Object.fromEntries(absolute) as Json } });
};

/** A quota set with usage. */
export const quotaUsage: Handler = async (call) => {
  type QuotaSet = { quota_set: Record<string, Json | string> } | undefined;
  const reply = await requestFromCentre(call);
  const central = successBody(reply) as QuotaSet;
  if (!central) return replyOf(reply);
  const podQuotas = (await readInPods(call)) as QuotaSet[];
  const quotas = Object.entries(central.quota_set).map(([name, quota]) => {
    if (typeof quota !== 'object') return [name, quota];
    const total = (field: string): number =>
      sum(podQuotas.map((inPod) => (inPod?.quota_set[name] as Json | undefined)?.[field]));
    return [name, { ...quota, in_use: total('in_use'), reserved: total('reserved') }];
  });
  return ok({ quota_set: Object.fromEntries(quotas) as Json });
};

/**
 * PUT of a quota set of Nova: a limit must not be below the usage in all pods, unless it is forced.
 * @throws 400, 403
 */
export const writeServerQuotas: Handler = async (call, own) => {
  const projectId = projectOf(call);
  const { force, ...fields } = quotaSetOf(call);
  authorize(call, 'os_compute_api:os-quota-sets:update', { project_id: projectId });
  const owner = { projectId, userId: call.query.first('user_id') || undefined };
  if (boolFromString(String(force)) !== true)
    await checkNewServerLimits(call, owner, limitsIn(fields));
  return writeEverywhere(call, own);
};

/**
 * PUT of a quota set of Cinder: a limit must not be below the usage in all pods.
 * @throws 400, 403
 */
export const writeVolumeQuotas: Handler = async (call, own) => {
  const projectId = projectOf(call);
  authorize(call, 'volume_extension:quotas:update', { project_id: projectId });
  await checkNewVolumeLimits(call, projectId, limitsIn(quotaSetOf(call)));
  return writeEverywhere(call, own);
};

const quotaSetOf = ({ body }: GatewayCall): Json => (body as { quota_set: Json }).quota_set;

/** The limits in a quota set that are integers. The central region refuses the others. */
const limitsIn = (fields: Json): [string, number][] =>
  Object.entries(fields)
    .map(([name, value]): [string, number] => [name, Number(value)])
    .filter(([, limit]) => Number.isInteger(limit));

/** Sends the client's request to the pods of its project. */
const readInPods = async (call: GatewayCall): Promise<(Json | undefined)[]> =>
  Promise.all(
    (await podsOfProject(call, projectOf(call))).map((pod) =>
      requestFromPod(call, pod).then(successBody, leaveOut),
    ),
  );

/** The project whose limits or quotas are requested. */
const projectOf = ({ query, caller, params }: GatewayCall): string =>
  params['id'] ??
  params['target_project_id'] ??
  query.last('tenant_id') ??
  query.last('project_id') ??
  caller?.projectId ??
  '';

const sum = (values: readonly unknown[]): number =>
  values.reduce<number>((total, value) => total + (typeof value === 'number' ? value : 0), 0);
