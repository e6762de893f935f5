// Answers requests about the ports of servers with Compute's own handlers in the central region,
// whose Network has the ports.
import { inRegionTransaction } from '../../../kernel/context.ts';
import type { Reply, Route } from '../../../kernel/model.ts';
import type { GatewayCall, Json } from '../call.ts';
import { listGuestPorts, type Guest } from '../clients/compute.ts';
import { successBody, type ServiceReply } from '../clients/message.ts';
import { requestFromPod } from '../clients/pods.ts';
import { readServerInPod, type Pod } from '../clients/tricircle.ts';

/** Whether a server has ports in the central region, and not only in its pod. */
export const hasCentralPorts = async (call: GatewayCall, id: string): Promise<boolean> =>
  (await listGuestPorts(call, [id])).length > 0;

/** The microversion that shows whether a server is locked. */
const version = 'compute 2.9';

/** Reads a server in its pod as the caller. @returns the pod's refusal, if it refuses */
export async function readGuest(
  call: GatewayCall,
  pod: Pod,
  id: string,
): Promise<Guest | ServiceReply> {
  const request = { method: 'GET', path: `/servers/${encodeURIComponent(id)}`, version };
  const reply = await requestFromPod(call, pod, request);
  const server = successBody(reply)?.['server'] as Json | undefined;
  if (!server) return reply;
  const state = await readServerInPod(call, pod, id);
  return {
    uuid: String(server['id']),
    projectId: String(server['tenant_id']),
    userId: String(server['user_id']),
    vmState: server['OS-EXT-STS:vm_state'] as Guest['vmState'],
    taskState: state?.taskState ?? null,
    launchedAt: server['OS-SRV-USG:launched_at'] === null ? null : call.now,
    lockedBy: server['locked'] === true ? 'owner' : null,
    host: state?.host ?? null,
    zone: pod.azName,
    securityGroups: [],
  };
}

export const isRefusal = (guest: Guest | ServiceReply): guest is ServiceReply => 'status' in guest;

/** Runs a handler of Compute in the central region for a server that a pod has. */
export const answerForGuest = (call: GatewayCall, { handler }: Route, guest: Guest) =>
  inRegionTransaction<Reply>(call, call.region, async (inner) =>
    handler(Object.assign({}, call, inner, { guest })),
  );
