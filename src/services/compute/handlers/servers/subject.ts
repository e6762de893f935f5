// Finds the server of a path, enforces policy rules for it, and loads the data that views show in
// addition to its record.
import { pipelined } from '../../../../kernel/db/pipelined.ts';
import { grouped } from '../../../../kernel/db/grouping.ts';
import { retryAfterDueJobs } from '../../../../kernel/http/run-handler.ts';
import { authorize, may } from '../../../../kernel/http/steps.ts';
import type { ComputeCall } from '../../call.ts';
import { attachedPorts } from '../../domain/servers/networks.ts';
import { ownTarget } from '../../steps.ts';
import { listServerVolumes } from '../../store/servers/devices.ts';
import { findGroup } from '../../store/servers/groups.ts';
import { hostsByName } from '../../store/hosts/server-hosts.ts';
import { visibleServer } from '../../domain/servers/visible.ts';
import type { Extras } from '../../views/servers/servers.ts';
import type { Host, Server } from '../../model.ts';

/** A server as the target of a policy rule. */
export const targetOf = ({ projectId, userId }: Server) => ({
  project_id: projectId,
  user_id: userId,
});

/** The server in the path. @throws 404 if it is not visible to the actor, 403 */
export async function serverOf(call: ComputeCall, rule: string): Promise<Server> {
  const server = await serverOfPath(call);
  authorize(call, `os_compute_api:${rule}`, targetOf(server));
  return server;
}

/** The server in the path, without enforcing a rule. @throws 404 */
export async function serverOfPath(call: ComputeCall): Promise<Server> {
  const id = call.params['server_id'] ?? call.params['id']!;
  if (call.guest?.uuid === id) return call.guest as Server;
  const server = await visibleServer(call, id);
  // The job that ends the server's current task, or deletes a soft-deleted server, may be due.
  if (server.taskState !== null || server.softDeletedAt !== null) await retryAfterDueJobs(call);
  return server;
}

/**
 * Loads the data that views show in addition to the records of servers.
 * @param options.groups whether to load the server group; only for views of a single server
 * @returns the data by UUID
 */
export async function extrasOf(
  call: ComputeCall,
  servers: readonly Server[],
  { groups }: { groups: boolean },
): Promise<Map<string, Extras>> {
  const { db, version } = call;
  const uuids = servers.map(({ uuid }) => uuid);
  const [foundPorts, foundVolumes] = await pipelined([
    attachedPorts(call, uuids),
    listServerVolumes(db, uuids),
  ]);
  const ports = grouped(foundPorts, ({ deviceId }) => deviceId);
  const volumes = grouped(foundVolumes, ({ serverUuid }) => serverUuid);
  const target = servers.length === 1 && groups ? targetOf(servers[0]!) : ownTarget(call);
  const showsHost =
    version.has('2.16') && may(call, 'os_compute_api:servers:show:host_status', target);
  const showsUnknown =
    version.has('2.16') &&
    may(call, 'os_compute_api:servers:show:host_status:unknown-only', target);
  const hosts =
    (showsHost || showsUnknown) && servers.some(({ host }) => host !== null)
      ? await hostsByName(db)
      : undefined;
  const extended = may(call, 'os_compute_api:os-extended-server-attributes', target);
  const extraSpecs =
    version.has('2.47') && may(call, 'os_compute_api:servers:show:flavor-extra-specs', target);
  const group =
    groups && version.has('2.71') && servers[0]?.groupId
      ? await findGroup(db, servers[0].groupId)
      : undefined;
  return new Map(
    servers.map(({ uuid, host }): [string, Extras] => {
      const status = host === null ? '' : hostStatusOf(hosts?.get(host));
      return [
        uuid,
        {
          ports: ports.get(uuid) ?? [],
          volumes: volumes.get(uuid) ?? [],
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

/** The value of `host_status` for a server on a host. */
function hostStatusOf(host: Host | undefined): string {
  if (!host) return 'UNKNOWN';
  if (!host.up) return 'DOWN';
  return host.enabled ? 'UP' : 'MAINTENANCE';
}
