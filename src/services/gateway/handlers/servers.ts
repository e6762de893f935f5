// Handlers for servers. A server is created in the pod of its tenant, to which the gateway forwards
// later requests about it.
import { badRequest } from '../../../kernel/errors.ts';
import { authorize } from '../../../kernel/http/steps.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { GatewayCall, Handler, Json } from '../call.ts';
import type { SortKey } from '../domain/merge.ts';
import { requireInPod, requirePodOf } from '../clients/routed-resources.ts';
import { withinGrowthQuota } from '../domain/compute-quotas.ts';
import { createServers, prepareAction, readGrowth } from '../domain/servers.ts';
import { replyOf } from '../views/replies.ts';
import { carryingImage, madeImage } from '../domain/images/made.ts';
import { fromPorts, isPortAction } from './guests.ts';
import { listed } from './lists.ts';
import { withCentralNetworks } from './server-networks.ts';
import { routed } from './routed.ts';

/** POST /servers @throws 400, 403, 409, 500, 503, 504 */
export async function create(call: GatewayCall): Promise<Reply> {
  const owner = { project_id: call.caller?.projectId, user_id: call.caller?.userId };
  authorize(call, 'os_compute_api:servers:create', owner);
  const { pod, reply } = await createServers(call, call.body as Json);
  return replyOf(reply, pod.azName);
}

/** The fields of a server's representation for the sort keys that have other names. */
const sortFields: Readonly<Record<string, string>> = {
  access_ip_v4: 'accessIPv4',
  access_ip_v6: 'accessIPv6',
  availability_zone: 'OS-EXT-AZ:availability_zone',
  created_at: 'created',
  display_description: 'description',
  display_name: 'name',
  host: 'OS-EXT-SRV-ATTR:host',
  image_ref: 'image.id',
  instance_type_id: 'flavor.id',
  launched_at: 'OS-SRV-USG:launched_at',
  power_state: 'OS-EXT-STS:power_state',
  project_id: 'tenant_id',
  task_state: 'OS-EXT-STS:task_state',
  terminated_at: 'OS-SRV-USG:terminated_at',
  updated_at: 'updated',
  uuid: 'id',
  vm_state: 'OS-EXT-STS:vm_state',
};

function sortKeysOf({ query }: GatewayCall): SortKey[] {
  const keys = query.all('sort_key').map((key) => key.trim());
  const directions = query.all('sort_dir').map((direction) => direction.trim());
  const first = directions[0] ?? 'desc';
  const requested = (keys.length ? keys : ['created_at']).map((key, index) => ({
    field: sortFields[key] ?? key,
    isDescending: (directions[index] ?? first) === 'desc',
  }));
  return [
    ...requested,
    ...['created', 'id'].map((field) => ({ field, isDescending: first === 'desc' })),
  ];
}

const servers = {
  type: 'server',
  key: 'servers',
  path: '/servers/detail',
  sortKeysOf,
  unknownMarker: (marker: string) => badRequest(`marker [${marker}] not found`),
} as const;

export const list = listed({
  ...servers,
  linkPath: '/servers',
  show: ({ id, name, links }) => ({ id, name, links }),
});
export const detail = listed({
  ...servers,
  linkPath: '/servers/detail',
  show: (server) => server,
  complete: withCentralNetworks,
});

/**
 * POST /servers/:id/action. Actions on ports are the central region's. A resize must stay within
 * the quotas.
 * @throws 403
 */
export const act: Handler = async (call, own) => {
  if (isPortAction(call.body as Json)) return fromPorts(call, own);
  if (isImageAction(call.body as Json)) return makeImage(call, own);
  const { resize } = call.body as { resize?: { flavorRef: string | number } | null };
  const growth = resize
    ? await readGrowth(call, call.params['id']!, String(resize.flavorRef))
    : undefined;
  const forward = () => forwardAction(call, own);
  return growth ? withinGrowthQuota(call, growth, forward) : forward();
};

/** Forwards an action. The pod first gets the flavor or image that the action refers to. */
const forwardAction = routed('server', async (call, pod) => {
  const [action = '', fields] = Object.entries(call.body as Json)[0] ?? [];
  if (typeof fields === 'object' && fields !== null)
    await prepareAction(call, pod, action, fields as Json);
});

/** Whether an action makes an image of a server. */
const isImageAction = (body: Json): boolean => 'createImage' in body || 'createBackup' in body;

/**
 * Makes an image of a server in its pod, and creates the central image with the same id. The
 * Location header leads to the central one.
 */
const makeImage: Handler = async (call, own) => {
  const serverId = call.params['id']!;
  const source = { serverId, projectId: call.caller!.projectId! };
  const pod = await requirePodOf(call, 'server', serverId);
  const reply = await carryingImage(call, pod, source, () => forwardAction(call, own));
  const { location } = reply.headers ?? {};
  if (reply.status >= 300 || location === undefined) return reply;
  const base = `${call.origin}${call.prefix.replace(/compute$/, 'image')}`;
  return {
    ...reply,
    headers: { ...reply.headers, location: `${base}/v2/images/${madeImage(reply)!}` },
  };
};

/** POST and PUT of os-volume_attachments. @throws 400 for a volume in another pod, 404 */
export const attachVolume = routed('server', async (call, pod) => {
  const { volumeId } = (call.body as { volumeAttachment: { volumeId: string } }).volumeAttachment;
  await requireInPod(call, pod, 'volume', volumeId);
});
