// The ports of servers at the gateway. The central region's Network owns them: it gives their
// addresses, and counts them against its quotas. Tricircle carries them to the pod of the server.
//
// A server gets its id from the pod, so its ports first belong to a provisional id. A job gives
// them to the server, or deletes them, if the process dies before it knows which.
import { emulatedNow, SECOND } from '../../../kernel/clock.ts';
import { inRegionTransaction } from '../../../kernel/context.ts';
import { newUuid } from '../../../kernel/ids.ts';
import { cancel, schedule } from '../../../kernel/jobs/queue.ts';
import type { Context, Job } from '../../../kernel/model.ts';
import type { GatewayCall, Json } from '../call.ts';
import {
  bindServerPorts,
  createGuestPorts,
  detachPorts,
  listGuestPorts,
  renameGuest,
  type RequestedNetworks,
  type ServerPort,
} from '../clients/compute.ts';
import {
  carryPort,
  deviceInPod,
  discardPort,
  findPod,
  PodFailure,
  readServerInPod,
  route,
  routingOf,
  type Pod,
} from '../clients/tricircle.ts';

export const settleKind = 'gateway.settle_ports';

/** The payload of the job that brings the ports of a server up to date. */
interface Settlement {
  readonly podId: string;
  readonly projectId: string;
  /** Whether the id of the server is provisional. */
  readonly isProvisional?: boolean;
  /** Whether to detach ports that the pod has not attached. */
  readonly checksPorts?: boolean;
  /** How often the job has run for what is under way. */
  readonly rounds?: number;
}

/** How long after a request the job cleans up, if the process that served it has died. */
const recoveryDelay = 60 * SECOND;

/** The longest time between two rounds, in seconds. */
const maxDelay = 24 * 60 * 60;

/** A server that the pod has not created yet, and its ports. */
export interface ProvisionalServer {
  readonly id: string;
  readonly ports: readonly ServerPort[];
}

/**
 * Creates the central ports of new servers.
 * @returns the servers, with no ports if the request wants none
 * @throws 400, 403, 409 as Nova
 */
export async function reservePorts(
  call: GatewayCall,
  pod: Pod,
  server: Json,
  count: number,
): Promise<ProvisionalServer[]> {
  const projectId = call.caller!.projectId!;
  const ids = Array.from({ length: count }, () => newUuid());
  const groups = (server['security_groups'] ?? []) as { name?: string }[];
  if (server['networks'] === 'none' && !groups.length) return ids.map((id) => ({ id, ports: [] }));
  const ports = await inRegionTransaction(call, call.region, async (inner) => {
    const created = await createGuestPorts(inner, {
      guests: ids,
      projectId,
      zone: pod.azName,
      networks: server['networks'] as RequestedNetworks | undefined,
      securityGroups: groups.flatMap(({ name }) => name ?? []),
    });
    const settlement = { podId: pod.id, projectId, isProvisional: true };
    for (const id of new Set(created.map(({ serverUuid }) => serverUuid)))
      await scheduleFirstSettlement(inner, id, settlement, recoveryDelay);
    return created;
  });
  return ids.map((id) => ({ id, ports: ports.filter(({ serverUuid }) => serverUuid === id) }));
}

/** Carries ports to a pod. @returns the `networks` of a server there */
export async function carryPorts(
  call: GatewayCall,
  pod: Pod,
  ports: readonly ServerPort[],
): Promise<Json[]> {
  const networks: Json[] = [];
  for (const { portId, own: isNew, tag } of ports) {
    const port = await carryPort(call, pod, portId, { isNew });
    networks.push({ port, ...(tag === null ? {} : { tag }) });
  }
  return networks;
}

/** Gives the ports of a provisional server to the server that the pod has created. */
export const adoptPorts = (
  context: Context,
  pod: Pod,
  projectId: string,
  { id, serverId }: { readonly id: string; readonly serverId: string },
): Promise<void> =>
  inRegionTransaction(context, context.region, async (inner) => {
    await renameGuest(inner, id, serverId);
    await cancel(inner.db, settleKind, id);
    await scheduleFirstSettlement(inner, serverId, { podId: pod.id, projectId }, 0);
  });

/**
 * Deletes the ports of a server, in the pod and then in the central region, or detaches those that
 * existed before it.
 * @param only the id of the only port to release
 */
export async function releasePorts(
  context: Context,
  pod: Pod,
  { id, projectId }: { readonly id: string; readonly projectId: string },
  only?: string,
): Promise<void> {
  const ports = await listGuestPorts(context, [id]);
  for (const { portId } of ports)
    if (only === undefined || portId === only)
      await discardPort(context, pod, { id: portId, projectId });
  await inRegionTransaction(context, context.region, async (inner) => {
    await detachPorts(inner, id, only);
    if (only === undefined) await cancel(inner.db, settleKind, id);
  });
}

/** Brings the ports of a server up to date before the next request, if it has any. */
export async function settleSoon(
  context: Context,
  pod: Pod,
  { id, projectId }: { readonly id: string; readonly projectId: string },
  { checksPorts = false } = {},
): Promise<void> {
  if (!checksPorts && !(await listGuestPorts(context, [id])).length) return;
  const settlement = { podId: pod.id, projectId, ...(checksPorts ? { checksPorts } : {}) };
  await inRegionTransaction(context, context.region, (inner) =>
    scheduleSettlement(inner, id, settlement, checksPorts ? recoveryDelay : 0),
  );
}

/** Schedules the job of a server in the context's transaction, in the place of an earlier one. */
async function scheduleSettlement(
  context: Context,
  subject: string,
  payload: Settlement,
  delay: number,
): Promise<void> {
  await cancel(context.db, settleKind, subject);
  await scheduleFirstSettlement(context, subject, payload, delay);
}

/**
 * Schedules the job of a new server in the context's transaction. It is due after what the pod has
 * begun, whose clock was read later than the context's.
 */
async function scheduleFirstSettlement(
  { cloud, db, now }: Context,
  subject: string,
  payload: Settlement,
  delay: number,
): Promise<void> {
  const from = Math.max(now, emulatedNow(cloud.sharedState.cached.clock));
  await schedule(db, { dueAt: from + delay, kind: settleKind, subject, payload });
}

/**
 * Brings the ports of a server up to date: binds them to its host, and releases them once the
 * server is gone. It runs again while Nova of the pod works on the server, or while the pod is
 * down.
 */
export async function settlePorts(context: Context, { subject, payload }: Required<Job>) {
  const settlement = payload as Settlement;
  // A migration may have moved the server meanwhile.
  const routing = await routingOf(context, { topId: subject, resourceType: 'server' });
  const pod = await findPod(context, routing?.podId ?? settlement.podId);
  if (!pod) return;
  const { rounds = 0 } = settlement;
  try {
    const isSettled = settlement.isProvisional
      ? await settleProvisional(context, pod, subject, settlement)
      : await settleServer(context, pod, subject, settlement);
    if (isSettled) return;
  } catch (error) {
    if (!(error instanceof PodFailure)) throw error;
    context.cloud.log.warn({ err: error, server: subject }, 'the ports of a server have to wait');
  }
  const delay = Math.min(2 ** rounds, maxDelay) * SECOND;
  await inRegionTransaction(context, context.region, (inner) =>
    scheduleSettlement(inner, subject, { ...settlement, rounds: rounds + 1 }, delay),
  );
}

/** Finds out whether the pod has created a server with these ports. */
async function settleProvisional(
  context: Context,
  pod: Pod,
  id: string,
  { projectId }: Settlement,
): Promise<boolean> {
  const devices: string[] = [];
  for (const { portId } of await listGuestPorts(context, [id]))
    devices.push((await deviceInPod(context, pod, portId)) ?? '');
  const serverId = devices.find((device) => device !== '');
  if (serverId === undefined) {
    await releasePorts(context, pod, { id, projectId });
    return true;
  }
  await route(context, { topId: serverId, podId: pod.id, projectId, resourceType: 'server' });
  await adoptPorts(context, pod, projectId, { id, serverId });
  return true;
}

async function settleServer(
  context: Context,
  pod: Pod,
  id: string,
  { projectId, checksPorts = false }: Settlement,
): Promise<boolean> {
  const server = await readServerInPod(context, pod, id);
  if (!server) {
    await releasePorts(context, pod, { id, projectId });
    return true;
  }
  await inRegionTransaction(context, context.region, (inner) =>
    bindServerPorts(inner, id, server.host, { region: pod.regionName }),
  );
  if (server.taskState !== null) return false;
  if (checksPorts)
    for (const { portId } of await listGuestPorts(context, [id]))
      if (!(await deviceInPod(context, pod, portId)))
        await releasePorts(context, pod, { id, projectId }, portId);
  return true;
}
