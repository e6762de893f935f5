// Servers: created in the pod of their tenant, and found there again.
import { badRequest } from '../../../kernel/errors.ts';
import { authorize } from '../../../kernel/http/steps.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { GatewayCall, Json } from '../call.ts';
import type { Order } from '../domain/merge.ts';
import { referencesOfServer } from '../domain/references.ts';
import { askPod, bodyOf, isOk, type Answer } from '../clients/pods.ts';
import { route, type Pod } from '../clients/tricircle.ts';
import { replyOf } from '../views/answers.ts';
import { inPodsZone, podFor } from './choice.ts';
import { listed } from './lists.ts';
import { requireInPod, routed } from './routed.ts';
import { ensureFlavor, ensureImage, ensureKeypair, flavorOf, networksIn } from './sync.ts';

/** POST /servers @throws 400, 403, 409, 500, 503, 504 */
export async function create(call: GatewayCall): Promise<Reply> {
  const body = call.body as Json;
  const server = body['server'] as Json;
  const own = { project_id: call.caller?.projectId, user_id: call.caller?.userId };
  authorize(call, 'os_compute_api:servers:create', own);
  const flavor = await flavorOf(call, String(server['flavorRef']));
  if (!flavor) throw badRequest(`Flavor ${String(server['flavorRef'])} could not be found.`);
  const references = referencesOfServer(body);
  const pod = await podFor(call, {
    zone: server['availability_zone'],
    specs: flavor.extraSpecs,
    references,
  });
  const answer = await askPod(call, pod, {
    method: 'POST',
    path: '/servers',
    body: await bodyFor(call, pod, body),
  });
  if (isOk(answer)) await routeCreated(call, pod, body, answer);
  return replyOf(answer, pod.azName);
}

/** The body for a pod, which has from now on what the server needs of the central region. */
async function bodyFor(call: GatewayCall, pod: Pod, body: Json): Promise<Json> {
  const server = body['server'] as Json;
  await ensureFlavor(call, pod, String(server['flavorRef']));
  if (typeof server['key_name'] === 'string') await ensureKeypair(call, pod, server['key_name']);
  for (const id of imagesIn(server)) await ensureImage(call, pod, id);
  const networks = await networksIn(call, pod, server['networks']);
  return {
    ...body,
    server: { ...inPodsZone(server, pod), ...(networks === undefined ? {} : { networks }) },
  };
}

/** The images of a new server: its own, and those that its volumes are made of. */
function imagesIn(server: Json): string[] {
  const devices = Array.isArray(server['block_device_mapping_v2'])
    ? (server['block_device_mapping_v2'] as Json[])
    : [];
  const sources = devices
    .filter((device) => device['source_type'] === 'image')
    .map((device) => device['uuid']);
  return [server['imageRef'], ...sources].filter(
    (id): id is string => typeof id === 'string' && id !== '',
  );
}

/** Routes what a pod has created: one server, or all of a reservation. */
async function routeCreated(
  call: GatewayCall,
  pod: Pod,
  body: Json,
  { body: told }: Answer,
): Promise<void> {
  const projectId = call.caller!.projectId!;
  const { server, reservation_id: reservation } = told as {
    server?: { id: string };
    reservation_id?: string;
  };
  if (server) await route(call, { topId: server.id, podId: pod.id, projectId, kind: 'server' });
  const asked = body['server'] as Json;
  const isMany = Number(asked['max_count'] ?? asked['min_count'] ?? 1) > 1;
  const reservationId =
    reservation ?? (isMany && server ? await reservationOf(call, pod, server.id) : undefined);
  if (reservationId === undefined) return;
  const query = new URLSearchParams({ reservation_id: reservationId }).toString();
  const found = bodyOf(await askPod(call, pod, { method: 'GET', path: '/servers', query }));
  for (const { id } of (found?.['servers'] ?? []) as { id: string }[])
    await route(call, { topId: id, podId: pod.id, projectId, kind: 'server' });
}

/** The reservation of a server, which only administrators see, and only since 2.3. */
async function reservationOf(call: GatewayCall, pod: Pod, id: string): Promise<string | undefined> {
  const answer = await askPod(call, pod, {
    method: 'GET',
    path: `/servers/${id}`,
    version: 'compute 2.3',
    isOwn: true,
  });
  const server = bodyOf(answer)?.['server'] as Json | undefined;
  return server?.['OS-EXT-SRV-ATTR:reservation_id'] as string | undefined;
}

/** The fields by which servers are sorted, as they are shown. */
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

function orderOf({ query }: GatewayCall): Order[] {
  const keys = query.all('sort_key').map((key) => key.trim());
  const directions = query.all('sort_dir').map((direction) => direction.trim());
  const first = directions[0] ?? 'desc';
  const order = (keys.length ? keys : ['created_at']).map((key, index) => ({
    field: sortFields[key] ?? key,
    isDescending: (directions[index] ?? first) === 'desc',
  }));
  return [
    ...order,
    ...['created', 'id'].map((field) => ({ field, isDescending: first === 'desc' })),
  ];
}

const servers = { kind: 'server', key: 'servers', path: '/servers/detail', orderOf } as const;

export const list = listed({
  ...servers,
  linkPath: '/servers',
  shown: ({ id, name, links }) => ({ id, name, links }),
});
export const detail = listed({
  ...servers,
  linkPath: '/servers/detail',
  shown: (server) => server,
});

export const show = routed('server');

/**
 * POST /servers/:id/action: what the action refers to of the central region is brought to the pod
 * before.
 */
export const act = routed('server', async (call, pod) => {
  const [name = '', given] = Object.entries(call.body as Json)[0] ?? [];
  const fields = (typeof given === 'object' && given !== null ? given : {}) as Json;
  if (name === 'resize' && typeof fields['flavorRef'] !== 'undefined')
    await ensureFlavor(call, pod, String(fields['flavorRef']));
  if (name === 'rebuild' && typeof fields['imageRef'] === 'string')
    await ensureImage(call, pod, fields['imageRef']);
});

/** POST and PUT of os-volume_attachments. @throws 400 for a volume in another pod, 404 */
export const attach = routed('server', async (call, pod) => {
  const { volumeId } = (call.body as { volumeAttachment: { volumeId: string } }).volumeAttachment;
  await requireInPod(call, pod, 'volume', volumeId);
});

/**
 * POST /servers/:id/os-interface: a network of the central region is the pod's of the same name.
 */
export const plug = routed('server', async (call, pod) => {
  const body = call.body as { interfaceAttachment?: Json } | null;
  const network = body?.interfaceAttachment?.['net_id'];
  if (typeof network !== 'string') return undefined;
  const [found] = (await networksIn(call, pod, [{ uuid: network }])) as Json[];
  return { interfaceAttachment: { ...body!.interfaceAttachment, net_id: found!['uuid'] } };
});
