// Volume types: those of the central region count, and pods have them under the same names.
import type { GatewayCall, Handler, Json } from '../call.ts';
import { askCentre, askPod, bodyOf, isOk, type Answer, type Question } from '../clients/pods.ts';
import { bottomPods, type Pod } from '../clients/tricircle.ts';
import { replyOf } from '../views/answers.ts';
import { repeatIn } from './central.ts';
import { pathOf } from './routed.ts';
import { ownSpecs } from './sync.ts';

interface VolumeType extends Json {
  readonly id: string;
  readonly name: string;
  readonly extra_specs?: Readonly<Record<string, string>>;
}

const own = { isOwn: true, version: 'volume 3.0' };
const all = { method: 'GET', path: '/types', query: 'is_public=None&limit=1000', ...own };

const typesIn = (answer: Answer): VolumeType[] =>
  (bodyOf(answer)?.['volume_types'] ?? []) as VolumeType[];

/** A type of the central region by its id or name; undefined where there is none. */
export async function volumeTypeOf(call: GatewayCall, id: string): Promise<VolumeType | undefined> {
  const types = typesIn(await askCentre(call, all));
  return types.find((type) => type.id === id) ?? types.find((type) => type.name === id);
}

/**
 * The type of that name in a pod. Types have other ids there, as Cinder lets nobody choose them.
 */
async function typeIn(call: GatewayCall, pod: Pod, name: string): Promise<VolumeType | undefined> {
  return typesIn(await askPod(call, pod, all)).find((type) => type.name === name);
}

/** POST /types */
export const create: Handler = async (call) => {
  const answer = await askCentre(call);
  const type = bodyOf(answer)?.['volume_type'] as VolumeType | undefined;
  if (type) await inPods(call, (pod) => ensure(call, pod, type.id));
  return replyOf(answer);
};

/** Writes to a type: in the central region by its id, in a pod by its name. */
export const write: Handler = async (call) => {
  const id = call.params['type_id']!;
  const before = await volumeTypeOf(call, id);
  const answer = await askCentre(call);
  const below = pathOf(call).slice(`/types/${id}`.length);
  if (before && isOk(answer))
    await inPods(call, async (pod) => {
      if (below.startsWith('/extra_specs')) return ensure(call, pod, before.id);
      const there = await typeIn(call, pod, before.name);
      return there && sameAt(call, `/types/${there.id}${below}`);
    });
  return replyOf(answer);
};

async function inPods(
  call: GatewayCall,
  questionIn: (pod: Pod) => Promise<Question | undefined>,
): Promise<void> {
  await Promise.all(
    (await bottomPods(call)).map((pod) => repeatIn(call, pod, () => questionIn(pod))),
  );
}

/** The same request to a path, with its body and query. */
const sameAt = ({ method, query, raw }: GatewayCall, path: string): Question => ({
  method,
  path,
  query: query.text,
  ...(raw?.length ? { bytes: raw, type: 'application/json' } : {}),
});

async function ensure(call: GatewayCall, pod: Pod, id: string): Promise<undefined> {
  const type = await volumeTypeOf(call, id);
  if (type) await ensureVolumeType(call, pod, type);
}

/**
 * Gives a pod a volume type as the central region has it, with its own extra specs. Encryption and
 * access follow only when they are written.
 */
export async function ensureVolumeType(
  call: GatewayCall,
  pod: Pod,
  type: VolumeType,
): Promise<void> {
  const { name, description, 'os-volume-type-access:is_public': isPublic = true } = type;
  const wanted = await ownSpecs(call, type.extra_specs ?? {});
  const there = await typeIn(call, pod, name);
  if (!there) {
    const volume_type = {
      name,
      description,
      'os-volume-type-access:is_public': isPublic,
      extra_specs: wanted,
    };
    await askPod(call, pod, { method: 'POST', path: '/types', body: { volume_type }, ...own });
    return;
  }
  const { id, extra_specs: before = {} } = there;
  const path = `/types/${id}/extra_specs`;
  for (const key of Object.keys(before))
    if (!Object.hasOwn(wanted, key))
      await askPod(call, pod, {
        method: 'DELETE',
        path: `${path}/${encodeURIComponent(key)}`,
        ...own,
      });
  if (Object.entries(wanted).some(([key, value]) => before[key] !== value))
    await askPod(call, pod, { method: 'POST', path, body: { extra_specs: wanted }, ...own });
}
