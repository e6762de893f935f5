// Server groups whose members are on hosts that the policy does not allow.
import type { Inconsistency } from '../../../../emulator/audit/model.ts';
import { groupedValues } from '../../../../kernel/db/grouping.ts';
import type { ServerGroup } from '../../model.ts';
import type { AuditedServer } from '../../store/servers/audit.ts';

/** A host, with the members on it. */
type HostMembers = [host: string, members: readonly AuditedServer[]];

/** Reports groups with affinity or anti-affinity that their members violate. */
export function violatedGroups(
  groups: readonly ServerGroup[],
  servers: readonly AuditedServer[],
): Inconsistency[] {
  const byUuid = new Map(servers.map((server) => [server.uuid, server]));
  return groups.flatMap((group) => {
    const members = group.members.flatMap((uuid) => byUuid.get(uuid) ?? []);
    const placed = members.filter(({ host }) => host !== null);
    const onHosts = groupedValues(
      placed,
      ({ host }) => host!,
      (server) => server,
    );
    // The host with the most members first.
    const byHost = [...onHosts].toSorted(([, one], [, other]) => other.length - one.length);
    if (group.policy === 'affinity' && byHost.length > 1) return [splitGroup(group, byHost)];
    const perHost = group.maxServerPerHost ?? 1;
    if (group.policy !== 'anti-affinity') return [];
    return byHost
      .filter(([, own]) => own.length > perHost)
      .map(([host, own]) => crowdedHost(group, host, own, perHost));
  });
}

const resourceOf = ({ uuid: id, name }: ServerGroup): Inconsistency['resource'] => ({
  type: 'server_group',
  id,
  name,
});

const splitGroup = (group: ServerGroup, byHost: readonly HostMembers[]): Inconsistency => ({
  check: 'affinity_violated',
  resource: resourceOf(group),
  text:
    `The members of group '${group.name}' (affinity) are on ${byHost.length} hosts: ` +
    `${byHost.map(([host]) => host).join(', ')}.`,
  repair: byHost
    .slice(1)
    .flatMap(([, own]) =>
      own.map(
        ({ uuid }) =>
          `openstack --os-compute-api-version 2.30 server migrate --live-migration ` +
          `--host ${byHost[0]![0]} ${uuid}`,
      ),
    ),
});

const crowdedHost = (
  group: ServerGroup,
  host: string,
  own: readonly AuditedServer[],
  perHost: number,
): Inconsistency => ({
  check: 'anti_affinity_violated',
  resource: resourceOf(group),
  text:
    `Host ${host} has ${own.length} members of group '${group.name}' (anti-affinity, at most ` +
    `${perHost} on a host): ${own.map(({ name }) => name).join(', ')}.`,
  repair: own.slice(perHost).map(({ uuid }) => `openstack server migrate --live-migration ${uuid}`),
});
