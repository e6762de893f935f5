// The security groups of ports, and the default group of each project.
import { beingChanged, contended, grouped, inParts, type Condition } from './table.ts';
import type { Db } from '../../../kernel/db/database.ts';

interface PortGroup {
  port_id: string;
  security_group_id: string;
}

const portGroups = (db: Db) => db<PortGroup>('network_port_groups');

/** The ids of the security groups of ports, by port. */
export async function groupsOfPorts(
  db: Db,
  portIds: readonly string[],
): Promise<Map<string, string[]>> {
  const rows = await inParts<PortGroup>([...portIds], (part) =>
    portGroups(db)
      .whereIn('port_id', [...part])
      .orderBy(['port_id', 'security_group_id']),
  );
  const byPort = grouped(rows, (row) => row.port_id);
  return new Map(
    [...byPort].map(([port, groups]) => [port, groups.map((row) => row.security_group_id)]),
  );
}

/** Puts a port into exactly these security groups. */
export async function setGroups(db: Db, portId: string, groups: readonly string[]): Promise<void> {
  await portGroups(db).where({ port_id: portId }).delete();
  const rows = groups.map((id) => ({ port_id: portId, security_group_id: id }));
  if (rows.length)
    await contended(beingChanged('security group'), () => portGroups(db).insert(rows));
}

export async function isGroupUsed(db: Db, groupId: string): Promise<boolean> {
  return (await portGroups(db).where({ security_group_id: groupId }).first()) !== undefined;
}

/** Ports in one of the security groups. */
export const inGroups =
  (db: Db, groups: readonly string[]): Condition =>
  (query) =>
    void query.whereIn(
      'network_ports.id',
      portGroups(db)
        .select('port_id')
        .whereIn('security_group_id', [...groups]),
    );

interface DefaultGroup {
  project_id: string;
  security_group_id: string;
}

const defaultGroups = (db: Db) => db<DefaultGroup>('network_default_groups');

/** The id of a project's default group. */
export async function defaultGroupOf(db: Db, projectId: string): Promise<string | undefined> {
  return (await defaultGroups(db).where({ project_id: projectId }).first())?.security_group_id;
}

/** @throws Contention where the project has got one in the meantime */
export async function setDefaultGroup(db: Db, projectId: string, groupId: string): Promise<void> {
  await contended(beingChanged('default security group'), () =>
    defaultGroups(db).insert({ project_id: projectId, security_group_id: groupId }),
  );
}

export async function dropDefaultGroup(db: Db, groupId: string): Promise<void> {
  await defaultGroups(db).where({ security_group_id: groupId }).delete();
}
