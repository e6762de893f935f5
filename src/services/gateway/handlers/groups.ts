// Server groups, which are in the pod that a general request of their tenant gets; availability
// zones, which are those of pods.
import { ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { GatewayCall, Json } from '../call.ts';
import { askPod, isOk } from '../clients/pods.ts';
import { bottomPods, route } from '../clients/tricircle.ts';
import { replyOf } from '../views/answers.ts';
import { podFor } from './choice.ts';
import { allOf } from './lists.ts';

/** POST /os-server-groups @throws 403, 500 */
export async function create(call: GatewayCall): Promise<Reply> {
  const pod = await podFor(call, { zone: undefined, specs: {}, references: {} });
  const answer = await askPod(call, pod);
  if (isOk(answer)) {
    const { id } = (answer.body as { server_group: { id: string } }).server_group;
    await route(call, {
      topId: id,
      podId: pod.id,
      projectId: call.caller!.projectId!,
      kind: 'server_group',
    });
  }
  return replyOf(answer);
}

/** GET /os-server-groups: those of one pod after those of the other. */
export async function list(call: GatewayCall): Promise<Reply> {
  const key = 'server_groups';
  const lists = await allOf(call, {
    kind: 'server_group',
    key,
    path: '/os-server-groups',
    shown: (group) => group,
    orderOf: () => [],
  });
  const offset = Number(call.query.last('offset') ?? 0);
  const limit = Number(call.query.last('limit') ?? 0) || Infinity;
  return ok({ [key]: lists.flat().slice(offset, offset + limit) });
}

/** The zones that tenants see: one is available while one of its pods is not under maintenance. */
async function zonesOf(call: GatewayCall): Promise<Map<string, boolean>> {
  const zones = new Map<string, boolean>();
  for (const { azName, isUnderMaintenance } of await bottomPods(call))
    zones.set(azName, zones.get(azName) === true || !isUnderMaintenance);
  return new Map([...zones].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

const zonesView = (zones: ReadonlyMap<string, boolean>, more: Json): Json => ({
  availabilityZoneInfo: [...zones].map(([zoneName, available]) => ({
    zoneName,
    zoneState: { available },
    ...more,
  })),
});

/** GET /os-availability-zone of Nova; in details too it shows no hosts, which are the pods' own. */
export const computeZones = async (call: GatewayCall): Promise<Reply> =>
  ok(zonesView(await zonesOf(call), { hosts: null }));

/** GET /os-availability-zone of Cinder. */
export const volumeZones = async (call: GatewayCall): Promise<Reply> =>
  ok(zonesView(await zonesOf(call), {}));
