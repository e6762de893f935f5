// Handlers for the interfaces, addresses and security groups of servers, which are those of their
// ports in the central region. Servers that were created in a pod have theirs there.
import type { Reply } from '../../../kernel/model.ts';
import type { Handler, Json } from '../call.ts';
import { isSuccess, type ServiceReply } from '../clients/message.ts';
import { requestFromPod } from '../clients/pods.ts';
import { idInPath, requirePodOf } from '../clients/routed-resources.ts';
import { listGuestPorts } from '../clients/compute.ts';
import { portInPod } from '../clients/tricircle.ts';
import { answerForGuest, hasCentralPorts, isRefusal, readGuest } from '../domain/guests.ts';
import { carryPorts, releasePorts, settleSoon } from '../domain/server-ports.ts';
import { replyOf } from '../views/replies.ts';
import { routed } from './routed.ts';

/** Replies from the central region if it has ports of the server, else from the pod. */
export const fromPorts: Handler = async (call, own) => {
  const id = idInPath(call, 'server');
  const pod = await requirePodOf(call, 'server', id);
  if (!(await hasCentralPorts(call, id))) return routed('server')(call, own);
  const guest = await readGuest(call, pod, id);
  return isRefusal(guest) ? replyOf(guest, pod.azName) : answerForGuest(call, own, guest);
};

/**
 * POST /servers/:id/os-interface: the central region creates the port, or takes the given one, and
 * the pod attaches its copy.
 */
export const attachInterface: Handler = async (call, own) => {
  const id = idInPath(call, 'server');
  const pod = await requirePodOf(call, 'server', id);
  const guest = await readGuest(call, pod, id);
  if (isRefusal(guest)) return replyOf(guest, pod.azName);
  const server = { id, projectId: guest.projectId };
  // If this process dies midway, the job detaches what the pod has not attached.
  await settleSoon(call, pod, server, { checksPorts: true });
  const reply = await answerForGuest(call, own, guest);
  const { port_id: portId } = (reply.body as { interfaceAttachment: { port_id: string } })
    .interfaceAttachment;
  const ports = (await listGuestPorts(call, [id])).filter((port) => port.portId === portId);
  const attach = async (): Promise<ServiceReply> => {
    const [network] = await carryPorts(call, pod, ports);
    const { port, ...tag } = network!;
    const body = { interfaceAttachment: { port_id: port, ...tag } };
    return requestFromPod(call, pod, { method: 'POST', path: `/servers/${id}/os-interface`, body });
  };
  const refusal = await attach().catch(async (error: unknown) => {
    await releasePorts(call, pod, server, portId);
    throw error;
  });
  if (!isSuccess(refusal)) await releasePorts(call, pod, server, portId);
  await settleSoon(call, pod, server);
  return isSuccess(refusal) ? reply : replyOf(refusal, pod.azName);
};

/** DELETE /servers/:id/os-interface/:id */
export const detachInterface: Handler = async (call, own): Promise<Reply> => {
  const id = call.params['server_id']!;
  const portId = call.params['id']!;
  const pod = await requirePodOf(call, 'server', id);
  const ports = await listGuestPorts(call, [id]);
  const inPod = ports.some((port) => port.portId === portId)
    ? await portInPod(call, pod, portId)
    : undefined;
  if (inPod === undefined) return routed('server')(call, own);
  const path = `/servers/${encodeURIComponent(id)}/os-interface/${inPod}`;
  const reply = await requestFromPod(call, pod, { method: 'DELETE', path });
  if (!isSuccess(reply)) return replyOf(reply, pod.azName);
  const projectId = call.caller!.projectId!;
  await releasePorts(call, pod, { id, projectId }, portId);
  return replyOf(reply, pod.azName);
};

/** The actions of a server that change its ports. */
const portActions = [
  'addFloatingIp',
  'removeFloatingIp',
  'addFixedIp',
  'removeFixedIp',
  'addSecurityGroup',
  'removeSecurityGroup',
];

/** Whether an action changes the ports of a server. */
export const isPortAction = (body: Json): boolean =>
  portActions.includes(Object.keys(body)[0] ?? '');
