// The server of a path, the rules about it, and what views show beyond its record.
import { retryAfterDueJobs } from '../../../../kernel/http/run-handler.ts';
import { authorize, may } from '../../../../kernel/http/steps.ts';
import type { ComputeCall } from '../../call.ts';
import { portsOfServers } from '../../clients/network.ts';
import { ownTarget } from '../../steps.ts';
import { listServerVolumes } from '../../store/servers/devices.ts';
import { findGroup } from '../../store/servers/groups.ts';
import { listHosts } from '../../store/hosts/server-hosts.ts';
import { visibleServer } from '../../domain/servers/visible.ts';
import type { Extras } from '../../views/servers/servers.ts';
import type { Server } from '../../model.ts';

/** A server as the target of a rule. */
export const targetOf = ({ projectId, userId }: Server) => ({
  project_id: projectId,
  user_id: userId,
});

/** The server of the path, where the actor may see it and the rule allows it. @throws 404, 403 */
export async function serverOf(call: ComputeCall, rule: string): Promise<Server> {
  const server = await serverOfPath(call);
  authorize(call, `os_compute_api:${rule}`, targetOf(server));
  return server;
}

/** The same without a rule. @throws 404 */
export async function serverOfPath(call: ComputeCall): Promise<Server> {
  const server = await visibleServer(call, call.params['server_id'] ?? call.params['id']!);
  // What is under way may be due.
  if (server.taskState !== null) await retryAfterDueJobs(call);
  return server;
}

/**
 * What views show of servers beyond their records, by UUID; groups only where one server is shown.
 */
export async function extrasOf(
  call: ComputeCall,
  servers: readonly Server[],
  { groups }: { groups: boolean },
): Promise<Map<string, Extras>> {
  const { db, version } = call;
  const uuids = servers.map(({ uuid }) => uuid);
  const ports = await portsOfServers(call, uuids);
  const volumes = await listServerVolumes(db, uuids);
  const target = servers.length === 1 && groups ? targetOf(servers[0]!) : ownTarget(call);
  const showsHost =
    version.has('2.16') && may(call, 'os_compute_api:servers:show:host_status', target);
  const showsUnknown =
    version.has('2.16') &&
    may(call, 'os_compute_api:servers:show:host_status:unknown-only', target);
  const hosts = new Map(
    (showsHost || showsUnknown) && servers.some(({ host }) => host !== null)
      ? (await listHosts(db)).map((one) => [one.host, one])
      : [],
  );
  const extended = may(call, 'os_compute_api:os-extended-server-attributes', target);
  const extraSpecs =
    version.has('2.47') && may(call, 'os_compute_api:servers:show:flavor-extra-specs', target);
  const group =
    groups && version.has('2.71') && servers[0]?.groupId
      ? await findGroup(db, servers[0].groupId)
      : undefined;
  return new Map(
    servers.map(({ uuid, host }): [string, Extras] => {
      const found = host === null ? undefined : hosts.get(host);
      const status =
        host === null
          ? ''
          : !found
            ? 'UNKNOWN'
            : !found.up
              ? 'DOWN'
              : found.enabled
                ? 'UP'
                : 'MAINTENANCE';
      return [
        uuid,
        {
          ports: ports.filter(({ deviceId }) => deviceId === uuid),
          volumes: volumes.filter(({ serverUuid }) => serverUuid === uuid),
          hostStatus: showsHost || (showsUnknown && status === 'UNKNOWN') ? status : undefined,
          groups: groups ? (group ? [group.uuid] : []) : undefined,
          extended,
          extraSpecs,
          details: call.actor.isAdmin,
        },
      ];
    }),
  );
}
