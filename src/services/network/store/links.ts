// What hangs between things: the groups of ports, the default group of a project, the segments of networks; and who sees what.
import { beingChanged } from '../domain/refusals.ts';
import { contended, inParts, type Narrow } from './table.ts';
import type { Db } from '../../../kernel/db/database.ts';

interface PortGroup {
  port_id: string;
  security_group_id: string;
}

const portGroups = (db: Db) => db<PortGroup>('network_port_groups');

/** The security groups of ports, by port. */
export async function groupsOf(db: Db, portIds: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await inParts<PortGroup>([...portIds], (part) =>
    portGroups(db)
      .whereIn('port_id', [...part])
      .orderBy(['port_id', 'security_group_id']),
  );
  const found = new Map<string, string[]>();
  for (const { port_id: port, security_group_id: group } of rows) found.set(port, [...(found.get(port) ?? []), group]);
  return found;
}

export async function setGroups(db: Db, portId: string, groups: readonly string[]): Promise<void> {
  await portGroups(db).where({ port_id: portId }).delete();
  const rows = groups.map((id) => ({ port_id: portId, security_group_id: id }));
  if (rows.length) await contended(beingChanged('security group'), () => portGroups(db).insert(rows));
}

export async function isGroupUsed(db: Db, groupId: string): Promise<boolean> {
  return (await portGroups(db).where({ security_group_id: groupId }).first()) !== undefined;
}

/** Ports in one of the groups. */
export const inGroups =
  (db: Db, groups: readonly string[]): Narrow =>
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

/** A number within a type of network and, for some types, a physical network. */
export interface Segment {
  readonly network_type: string;
  readonly physical_network: string;
  readonly segmentation_id: number;
}

const segments = (db: Db) => db<Segment & { network_id: string }>('network_segments');

export async function networkOnSegment(db: Db, segment: Segment): Promise<string | undefined> {
  return (await segments(db).where(segment).first())?.network_id;
}

/** The highest number that is taken; 0 where none is. */
export async function highestSegment(db: Db, type: string, physical: string): Promise<number> {
  const [row] = (await segments(db)
    .where({ network_type: type, physical_network: physical })
    .max('segmentation_id as highest')) as { highest: number | null }[];
  return Number(row?.highest ?? 0);
}

/** @throws Contention where another network has just taken it */
export async function takeSegment(db: Db, networkId: string, segment: Segment): Promise<void> {
  await contended(beingChanged('segment'), () => segments(db).insert({ ...segment, network_id: networkId }));
}

export async function dropSegments(db: Db, networkId: string): Promise<void> {
  await segments(db).where({ network_id: networkId }).delete();
}

/** Networks that a project sees: its own, and those that everybody may use or reach out through. */
export const visibleNetworks =
  (projectId: string): Narrow =>
  (query) =>
    void query.where((any) => void any.where({ project_id: projectId }).orWhere({ shared: 1 }).orWhere({ router_external: 1 }));

/** Things on networks of a kind. */
export const onNetworks =
  (db: Db, owner: string, column: 'shared' | 'router_external', value: boolean): Narrow =>
  (query) =>
    void query.whereIn(
      `${owner}.network_id`,
      db('network_networks')
        .select('id')
        .where({ [column]: Number(value) }),
    );

/** Subnets that a project sees: its own, and those on networks that it sees. */
export const visibleSubnets =
  (db: Db, projectId: string): Narrow =>
  (query) => {
    const networks = db('network_networks').select('id');
    visibleNetworks(projectId)(networks);
    void query.where((any) => void any.where({ project_id: projectId }).orWhereIn('network_id', networks));
  };

/** Ports that a project sees: its own, and all on its networks. */
export const visiblePorts =
  (db: Db, projectId: string): Narrow =>
  (query) => {
    const networks = db('network_networks').select('id').where({ project_id: projectId });
    void query.where((any) => void any.where({ project_id: projectId }).orWhereIn('network_id', networks));
  };

/** Rules that a project sees: its own, and those of its groups. */
export const visibleRules =
  (db: Db, projectId: string): Narrow =>
  (query) => {
    const groups = db('network_security_groups').select('id').where({ project_id: projectId });
    void query.where((any) => void any.where({ project_id: projectId }).orWhereIn('security_group_id', groups));
  };

/** What belongs to a project. */
export const ofProject =
  (projectId: string): Narrow =>
  (query) =>
    void query.where({ project_id: projectId });

/** What belongs to a project, and what everybody may use. */
export const ofProjectOrShared =
  (projectId: string): Narrow =>
  (query) =>
    void query.where((any) => void any.where({ project_id: projectId }).orWhere({ shared: 1 }));

/** What was changed at or after a time. */
export const changedSince =
  (time: number): Narrow =>
  (query) =>
    void query.where('updated_at', '>=', time);

/** What an attribute puts into one of these seconds: more than that of a time is not shown. */
export const atSecond =
  (owner: string, column: string, times: readonly number[]): Narrow =>
  (query) =>
    void query.where((any) => {
      for (const time of times) void any.orWhereBetween(`${owner}.${column}`, [time, time + 999_999]);
    });
