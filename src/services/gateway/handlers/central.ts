// What the central region holds for all pods: flavors, volume types, key pairs, quotas. Writes are
// repeated in every pod.
import { ok } from '../../../kernel/http/reply.ts';
import type { GatewayCall, Handler, Json } from '../call.ts';
import { askCentre, askPod, bodyOf, isOk, type Answer, type Question } from '../clients/pods.ts';
import { bottomPods, podsOfProject, type Pod } from '../clients/tricircle.ts';
import { replyOf } from '../views/answers.ts';
import { ensureFlavor } from './sync.ts';

/** Answers from the tables of the central region. */
export const central: Handler = async (call) => replyOf(await askCentre(call));

/**
 * What a pod is asked after the central region has agreed; undefined where it has nothing to do.
 */
type Repeat = (
  call: GatewayCall,
  pod: Pod,
  answer: Answer,
) => Promise<Question | undefined> | Question | undefined;

/** The same request again. */
const again: Repeat = () => ({});

/**
 * Writes in the central region and then in every pod. A pod that does not answer, or refuses, gets
 * it when it is used for the first time: see sync.ts.
 */
export const everywhere =
  (repeat: Repeat = again): Handler =>
  async (call) => {
    const answer = await askCentre(call);
    if (isOk(answer))
      await Promise.all(
        (await bottomPods(call)).map((pod) => repeatIn(call, pod, () => repeat(call, pod, answer))),
      );
    return replyOf(answer);
  };

/** Asks a pod for what it may well have, or not be able to do at the moment. */
export async function repeatIn(
  call: GatewayCall,
  pod: Pod,
  questionOf: () => ReturnType<Repeat>,
): Promise<void> {
  try {
    const question = await questionOf();
    const answer = question && (await askPod(call, pod, question));
    if (answer && !isOk(answer)) logRefusal(call, pod, answer);
  } catch (error) {
    call.cloud.log.warn(
      { err: error, request: call.requestId, pod: pod.regionName },
      'a pod does not follow the central region yet',
    );
  }
}

function logRefusal(
  { cloud, requestId, method, path }: GatewayCall,
  { regionName }: Pod,
  { status, body }: Answer,
): void {
  cloud.log.info(
    { request: requestId, pod: regionName, status, body },
    `a pod refuses ${method} ${path}`,
  );
}

/** POST /flavors: pods get the id that the central region has chosen. */
export const createFlavor = everywhere((call, _pod, { body }) => {
  const { flavor } = call.body as { flavor: Json };
  return {
    method: 'POST',
    path: '/flavors',
    body: { flavor: { ...flavor, id: (body as { flavor: Json }).flavor['id'] } },
  };
});

/** Writes to the extra specs of a flavor: pods get those that are theirs. */
export const writeFlavorSpecs = everywhere(async (call, pod) => {
  await ensureFlavor(call, pod, call.params['flavor_id']!);
  return undefined;
});

/**
 * POST /os-keypairs: pods import the public key, also of a pair that the central region has made.
 */
export const createKeypair = everywhere((call, _pod, { body }) => {
  const { keypair } = call.body as { keypair: Json };
  return {
    method: 'POST',
    path: '/os-keypairs',
    body: {
      keypair: { ...keypair, public_key: (body as { keypair: Json }).keypair['public_key'] },
    },
  };
});

/**
 * GET /limits: the limits of the central region, and what the project uses of them in all pods
 * together.
 */
export const limits: Handler = async (call) => {
  const answer = await askCentre(call);
  const told = bodyOf(answer) as { limits: { absolute: Json } } | undefined;
  if (!told) return replyOf(answer);
  const pods = await podsOfProject(call, projectAsked(call));
  const uses = await Promise.all(
    pods.map(async (pod) => bodyOf(await askPod(call, pod)) as typeof told),
  );
  const absolute = Object.entries(told.limits.absolute).map(([name, value]) => [
    name,
    /^total\w+Used$/.test(name) ? sum(uses.map((one) => one?.limits.absolute[name])) : value,
  ]);
  return ok({ limits: { ...told.limits, absolute: Object.fromEntries(absolute) as Json } });
};

const projectAsked = ({ query, caller, params }: GatewayCall): string =>
  params['id'] ??
  params['target_project_id'] ??
  query.last('tenant_id') ??
  query.last('project_id') ??
  caller?.projectId ??
  '';

const sum = (values: readonly unknown[]): number =>
  values.reduce<number>((all, value) => all + (typeof value === 'number' ? value : 0), 0);

/**
 * A quota set with its usage: the limits of the central region, and what is in use and reserved in
 * all pods together.
 */
export const quotaUsage: Handler = async (call) => {
  const answer = await askCentre(call);
  const told = bodyOf(answer) as { quota_set: Record<string, Json | string> } | undefined;
  if (!told) return replyOf(answer);
  const pods = await podsOfProject(call, projectAsked(call));
  const uses = await Promise.all(
    pods.map(async (pod) => bodyOf(await askPod(call, pod)) as typeof told),
  );
  const quotas = Object.entries(told.quota_set).map(([name, quota]) => {
    if (typeof quota !== 'object') return [name, quota];
    const used = (field: string): number =>
      sum(uses.map((one) => (one?.quota_set[name] as Json | undefined)?.[field]));
    return [name, { ...quota, in_use: used('in_use'), reserved: used('reserved') }];
  });
  return ok({ quota_set: Object.fromEntries(quotas) as Json });
};
