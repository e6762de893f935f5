// Creates servers in a pod, each with its ports, which the central region has created.
import { ApiError } from '../../../kernel/errors.ts';
import type { GatewayCall, Json } from '../call.ts';
import { carryOut, execute } from '../clients/execute.ts';
import { successBody, type ServiceReply } from '../clients/message.ts';
import { requestFromPod } from '../clients/pods.ts';
import { routeCreated, routeIds } from '../clients/routed-resources.ts';
import type { Pod } from '../clients/tricircle.ts';
import { requestWithoutPorts, requestWithPorts, serverSteps, type ServerNeeds } from './plan.ts';
import {
  adoptPorts,
  carryPorts,
  releasePorts,
  reservePorts,
  settleSoon,
  type ProvisionalServer,
} from './server-ports.ts';

/** A request for servers in a pod. */
export interface NewServers {
  readonly body: Json;
  /** How many servers to create. */
  readonly count: number;
  readonly needs: ServerNeeds;
}

/**
 * Creates servers in a pod. Their ports are created in the central region first, which may refuse
 * them.
 * @throws 400, 403, 409, 503, 504
 */
export async function createInPodWithPorts(
  call: GatewayCall,
  pod: Pod,
  { body, count, needs }: NewServers,
): Promise<ServiceReply> {
  const server = body['server'] as Json;
  const servers = await reservePorts(call, pod, server, count);
  const reply = servers.some(({ ports }) => ports.length)
    ? await createWithPorts(call, pod, needs, { body, servers })
    : await createWithoutPorts(call, pod, needs, body);
  return withGroups(reply, server);
}

/** Shows the security groups of the request, which the pod did not get. */
function withGroups(reply: ServiceReply, { security_groups: groups }: Json): ServiceReply {
  const server = successBody(reply)?.['server'];
  return server && groups
    ? { ...reply, body: { server: { ...(server as Json), security_groups: groups } } }
    : reply;
}

async function createWithoutPorts(
  call: GatewayCall,
  pod: Pod,
  needs: ServerNeeds,
  body: Json,
): Promise<ServiceReply> {
  const hasNone = call.version.has('2.37');
  const request = requestWithoutPorts(pod, body, { hasNone });
  const reply = await execute(call, pod, { steps: serverSteps(needs), request });
  await routeCreated(call, pod, 'server', reply);
  const created = successBody(reply);
  if (created) await routeReservation(call, pod, body['server'] as Json, created);
  return reply;
}

/** A request for servers, and the ports that they get. */
interface Reserved {
  readonly body: Json;
  readonly servers: readonly ProvisionalServer[];
}

/**
 * Creates servers one by one, because each gets ports of its own. If the pod refuses one, those
 * before it stay if they are enough.
 * @returns the pod's reply for the first server, or its refusal
 */
async function createWithPorts(
  call: GatewayCall,
  pod: Pod,
  needs: ServerNeeds,
  { body, servers }: Reserved,
): Promise<ServiceReply> {
  const server = body['server'] as Json;
  const least = Number(server['min_count'] ?? 1);
  const created: string[] = [];
  const waiting = [...servers];
  let first: ServiceReply | undefined;
  try {
    await carryOut(call, pod, serverSteps(needs));
    for (const [index, provisional] of servers.entries()) {
      const reply = await createOne(call, pod, provisional, {
        body,
        names: servers.length > 1 ? namesOf(server, index) : {},
      });
      const id = (successBody(reply)?.['server'] as { id: string } | undefined)?.id;
      if (id === undefined) {
        await release(call, pod, waiting);
        if (created.length >= least) break;
        for (const made of created) await deleteServer(call, pod, made);
        return reply;
      }
      waiting.shift();
      created.push(id);
      first ??= reply;
    }
  } catch (error) {
    // A pod whose reply was lost may have created the server: the job of its ports finds out.
    const isLost = error instanceof ApiError && error.code === 'gateway.pod_lost';
    await release(call, pod, isLost ? waiting.slice(1) : waiting);
    for (const made of created) await deleteServer(call, pod, made).catch(() => {});
    throw error;
  }
  return reservationReply(call, pod, server, first!);
}

/** Creates a server with the ports of a provisional one. */
async function createOne(
  call: GatewayCall,
  pod: Pod,
  { id, ports }: ProvisionalServer,
  { body, names }: { readonly body: Json; readonly names: Json },
): Promise<ServiceReply> {
  const networks = await carryPorts(call, pod, ports);
  const request = requestWithPorts(pod, body, { networks, names });
  const reply = await requestFromPod(call, pod, request);
  await routeCreated(call, pod, 'server', reply);
  const created = successBody(reply)?.['server'] as { id: string } | undefined;
  if (created) await adoptPorts(call, pod, call.caller!.projectId!, { id, serverId: created.id });
  return reply;
}

/** The names of one of several servers, as Nova numbers them. */
const namesOf = ({ name }: Json, index: number): Json => ({
  name: `${String(name).trim()}-${index + 1}`,
});

async function release(
  call: GatewayCall,
  pod: Pod,
  servers: readonly ProvisionalServer[],
): Promise<void> {
  const projectId = call.caller!.projectId!;
  for (const { id } of servers) await releasePorts(call, pod, { id, projectId });
}

/** Deletes a server again whose request has failed as a whole. */
async function deleteServer(call: GatewayCall, pod: Pod, id: string): Promise<void> {
  await requestFromPod(call, pod, { method: 'DELETE', path: `/servers/${id}` });
  await settleSoon(call, pod, { id, projectId: call.caller!.projectId! });
}

/** The reply to a request that asks for the id of the reservation: that of the first server. */
async function reservationReply(
  call: GatewayCall,
  pod: Pod,
  { return_reservation_id: asked }: Json,
  reply: ServiceReply,
): Promise<ServiceReply> {
  if (asked !== true && !/^(true|1|on|yes)$/i.test(String(asked))) return reply;
  const { id } = (reply.body as { server: { id: string } }).server;
  return { ...reply, body: { reservation_id: await readReservationId(call, pod, id) } };
}

/** Routes the other servers of a request for several. */
async function routeReservation(
  call: GatewayCall,
  pod: Pod,
  { max_count: max, min_count: min }: Json,
  created: { server?: { id: string }; reservation_id?: string },
): Promise<void> {
  const { server, reservation_id: shownId } = created;
  const isSeveral = Number(max ?? min ?? 1) > 1;
  const reservationId =
    shownId ?? (isSeveral && server ? await readReservationId(call, pod, server.id) : undefined);
  if (reservationId === undefined) return;
  const query = new URLSearchParams({ reservation_id: reservationId }).toString();
  const request = { method: 'GET', path: '/servers', query };
  const listed = successBody(await requestFromPod(call, pod, request))?.['servers'] ?? [];
  const ids = (listed as { id: string }[]).map(({ id }) => id);
  await routeIds(call, pod, 'server', ids);
}

/** Reads a server's reservation, which Nova shows to administrators from 2.3 on. */
async function readReservationId(
  call: GatewayCall,
  pod: Pod,
  id: string,
): Promise<string | undefined> {
  const request = { method: 'GET', path: `/servers/${id}`, version: 'compute 2.3', asAdmin: true };
  const server = successBody(await requestFromPod(call, pod, request))?.['server'];
  return (server as { 'OS-EXT-SRV-ATTR:reservation_id'?: string } | undefined)?.[
    'OS-EXT-SRV-ATTR:reservation_id'
  ];
}
