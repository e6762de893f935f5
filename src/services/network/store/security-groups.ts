// The security groups of ports, and the default group of each project.
import { named, text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { retryOnConstraint, SerializationFailure } from '../../../kernel/db/errors.ts';
import { guarded } from '../../../kernel/db/guarded.ts';
import type { Condition } from '../../../kernel/db/listing.ts';
import { Table } from '../../../kernel/db/table.ts';
import { deferred } from '../../../kernel/db/transaction.ts';
import { beingChanged } from './conflicts.ts';
import { latest } from './sharing.ts';
import { groupedValues } from '../../../kernel/db/grouping.ts';

const portGroups = new Table(
  'network_port_groups',
  { port_id: text, security_group_id: text },
  { key: ['port_id', 'security_group_id'] },
);

/** The ids of the security groups of ports, by port. */
export async function groupsOfPorts(
  db: Db,
  portIds: readonly string[],
): Promise<Map<string, string[]>> {
  return groupedValues(
    await portGroups.among(db, 'port_id', portIds),
    (row) => row.port_id,
    (row) => row.security_group_id,
  );
}

const namedPortGroups = new Table(
  portGroups.name,
  { port_id: text, security_group_id: text, name: named('network_security_groups.name', text) },
  {
    key: ['port_id', 'security_group_id'],
    join: (query) =>
      void query.join(
        'network_security_groups',
        'network_security_groups.id',
        'network_port_groups.security_group_id',
      ),
  },
);

/** The names of the security groups of ports, by port. */
export async function groupNamesOfPorts(
  db: Db,
  portIds: readonly string[],
): Promise<Map<string, string[]>> {
  return groupedValues(
    await namedPortGroups.among(db, 'port_id', portIds),
    (row) => row.port_id,
    (row) => row.name,
  );
}

/** Puts a port into exactly these security groups. */
export async function setGroups(db: Db, portId: string, groups: readonly string[]): Promise<void> {
  await deferred(portGroups.remove(db, { port_id: portId }));
  await addGroups(db, portId, groups);
}

/** Puts a port into security groups that it is not in. */
export async function addGroups(db: Db, portId: string, groups: readonly string[]): Promise<void> {
  for (const id of groups)
    await guarded(
      portGroups.insert(db, { port_id: portId, security_group_id: id }),
      () => new SerializationFailure(beingChanged('security group')),
    );
}

export const isGroupUsed = (db: Db, groupId: string): Promise<boolean> =>
  portGroups.exists(db, { security_group_id: groupId });

/** The projects with ports in a security group, in the latest committed state. */
export async function projectsInGroup(db: Db, groupId: string): Promise<string[]> {
  const rows = await portGroups.list(db, {
    where: { security_group_id: groupId },
    conditions: [latest],
  });
  return (await db('network_ports')
    .whereIn(
      'id',
      rows.map((row) => row.port_id),
    )
    .forShare()
    .pluck('project_id')) as string[];
}

/** Ports in one of the security groups. */
export const inGroups =
  (db: Db, groups: readonly string[]): Condition =>
  (query) => {
    const ports = db(portGroups.name).select('port_id').whereIn('security_group_id', groups);
    void query.whereIn('network_ports.id', ports);
  };

const defaultGroups = new Table(
  'network_default_groups',
  { project_id: text, security_group_id: text },
  { key: 'project_id' },
);

/** The id of a project's default group. */
export async function defaultGroupOf(db: Db, projectId: string): Promise<string | undefined> {
  return (await defaultGroups.find(db, { project_id: projectId }))?.security_group_id;
}

/** @throws SerializationFailure if another transaction has just created one for the project */
export async function setDefaultGroup(db: Db, projectId: string, groupId: string): Promise<void> {
  const row = { project_id: projectId, security_group_id: groupId };
  await retryOnConstraint(defaultGroups.insert(db, row), () =>
    beingChanged('default security group'),
  );
}

export async function deleteDefaultGroup(db: Db, groupId: string): Promise<void> {
  await defaultGroups.remove(db, { security_group_id: groupId });
}
