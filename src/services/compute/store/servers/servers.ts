// Servers: their rows.
import type { Micros } from '../../../../kernel/clock.ts';
import { Contention } from '../../../../kernel/db/errors.ts';
import { conflict } from '../../../../kernel/fault.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/** A flavor as a server keeps it: later changes of the flavor do not change the server. */
export interface ServerFlavor {
  readonly id: string;
  readonly name: string;
  readonly vcpus: number;
  readonly ram: number;
  readonly disk: number;
  readonly ephemeral: number;
  readonly swap: number;
  readonly extraSpecs: Readonly<Record<string, string>>;
}

/** Why a server is in the state ERROR. */
export interface ServerFault {
  readonly code: number;
  readonly message: string;
  readonly details: string;
  readonly createdAt: Micros;
}

export interface Server {
  readonly id: number;
  readonly uuid: string;
  readonly revision: number;
  readonly name: string;
  readonly description: string | null;
  readonly hostname: string;
  readonly projectId: string;
  readonly userId: string;
  readonly vmState: string;
  readonly taskState: string | null;
  readonly powerState: number;
  readonly progress: number;
  /** Empty where the server boots from a volume. */
  readonly imageId: string;
  readonly imageProperties: Readonly<Record<string, string>>;
  readonly flavor: ServerFlavor;
  readonly host: string | null;
  readonly node: string | null;
  readonly zone: string | null;
  /** The zone that was asked for, which the server does not leave. */
  readonly pinnedZone: string | null;
  readonly keyName: string | null;
  /** Of a server that is shelved: the image of its disk. */
  readonly shelvedImageId: string | null;
  readonly configDrive: string;
  readonly userData: string | null;
  readonly accessIpV4: string | null;
  readonly accessIpV6: string | null;
  readonly diskConfig: string;
  readonly launchIndex: number;
  readonly reservationId: string;
  readonly rootDeviceName: string | null;
  readonly lockedBy: string | null;
  readonly lockedReason: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly hints: Readonly<Record<string, unknown>>;
  readonly trustedCerts: readonly string[] | null;
  /** The server group; it may be gone. */
  readonly groupId: string | null;
  readonly securityGroups: readonly string[];
  readonly fault: ServerFault | null;
  /** The action that is going on. */
  readonly actionId: number | null;
  readonly createdAt: Micros;
  readonly updatedAt: Micros;
  readonly launchedAt: Micros | null;
  readonly terminatedAt: Micros | null;
  readonly deletedAt: Micros | null;
}

export type NewServer = Omit<Server, 'id' | 'revision'>;
export type ServerChanges = Partial<Omit<Server, 'id' | 'uuid' | 'revision' | 'createdAt'>>;

type Row = Record<string, unknown>;

const jsonFields: ReadonlySet<string> = new Set([
  'imageProperties', 'flavor', 'metadata', 'tags', 'hints', 'trustedCerts', 'securityGroups', 'fault',
]); // prettier-ignore
const times: ReadonlySet<string> = new Set(['createdAt', 'updatedAt', 'launchedAt', 'terminatedAt', 'deletedAt']);
const derived: ReadonlySet<string> = new Set(['flavorId', 'vcpus', 'ram']);

const columnOf = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const fieldOf = (column: string): string => column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** A row as a record. */
export function serverOf(row: Row): Server {
  const fields: Record<string, unknown> = {};
  for (const [column, value] of Object.entries(row)) {
    const field = fieldOf(column);
    if (derived.has(field)) continue;
    fields[field] =
      value === null ? null : jsonFields.has(field) ? JSON.parse(value as string) : times.has(field) ? Number(value) : value;
  }
  return fields as unknown as Server;
}

function rowOf(fields: ServerChanges | NewServer): Row {
  const row: Row = {};
  for (const [field, value] of Object.entries(fields)) {
    row[columnOf(field)] = jsonFields.has(field) && value !== null ? JSON.stringify(value) : value;
  }
  if (fields.flavor) Object.assign(row, { flavor_id: fields.flavor.id, vcpus: fields.flavor.vcpus, ram: fields.flavor.ram });
  return row;
}

/** The server of that UUID, unless it is deleted. */
export async function findServer(db: Db, uuid: string): Promise<Server | undefined> {
  const row = (await db('compute_servers').where({ uuid }).whereNull('deleted_at').first()) as Row | undefined;
  return row && serverOf(row);
}

/** The servers of these UUIDs that are not deleted, in the order in which they were made. */
export async function findServers(db: Db, uuids: readonly string[]): Promise<Server[]> {
  if (!uuids.length) return [];
  const rows = (await db('compute_servers').whereIn('uuid', uuids).whereNull('deleted_at').orderBy('id')) as Row[];
  return rows.map(serverOf);
}

/** The servers on a host. */
export async function serversOnHost(db: Db, host: string): Promise<Server[]> {
  return ((await db('compute_servers').where({ host }).whereNull('deleted_at').orderBy('id')) as Row[]).map(serverOf);
}

/** Writes a server down. */
export async function insertServer(db: Db, server: NewServer): Promise<Server> {
  const [id] = (await db('compute_servers').insert({ ...rowOf(server), revision: 0 })) as number[];
  return { ...server, id: id!, revision: 0 };
}

/** Changes a server that is still what was read. @throws Contention where another writer was faster */
export async function updateServer(db: Db, server: Server, changes: ServerChanges, now: Micros): Promise<Server> {
  const { id, revision } = server;
  const all = { updatedAt: now, ...changes };
  const changed = await db('compute_servers')
    .where({ id, revision })
    .update({ ...rowOf(all), revision: revision + 1 });
  if (!changed) throw new Contention(conflict(`Instance ${server.uuid} is being changed by another request. Please try again.`));
  return { ...server, ...all, revision: revision + 1 };
}

/** What the servers of a project, or of a user in it, take. Those in error count; what an unconfirmed move would go back to does not. */
export async function sumServers(
  db: Db,
  projectId: string,
  userId?: string,
): Promise<{ instances: number; cores: number; ram: number }> {
  const query = db('compute_servers').where({ project_id: projectId }).whereNull('deleted_at');
  if (userId !== undefined) query.where({ user_id: userId });
  const row = (await query.count('id as instances').sum({ cores: 'vcpus', ram: 'ram' }).first()) as unknown as Row;
  return { instances: Number(row['instances']), cores: Number(row['cores'] ?? 0), ram: Number(row['ram'] ?? 0) };
}

/** A member of a group, and where it is. */
export type GroupMember = Pick<Server, 'uuid' | 'userId' | 'groupId' | 'host'>;

/** The members of a group that are not deleted. */
export async function listGroupMembers(db: Db, groupId: string): Promise<GroupMember[]> {
  const rows = (await db('compute_servers')
    .where({ group_id: groupId })
    .whereNull('deleted_at')
    .orderBy('id')
    .select('uuid', 'user_id', 'group_id', 'host')) as Row[];
  return rows.map(serverOf) as GroupMember[];
}

/** How often hosts have been selected for servers of a group. */
export async function countGroupSelections(db: Db, groupId: string): Promise<number> {
  const row = (await db('compute_server_group_placings').where({ group_id: groupId }).first('count')) as
    { count: number } | undefined;
  return row?.count ?? 0;
}

/** Counts one more selection for a group. @throws Contention where the count is not `before` any more: another process has selected a host */
export async function bumpGroupSelections(db: Db, groupId: string, before: number): Promise<void> {
  const table = 'compute_server_group_placings';
  const changed = await db(table)
    .where({ group_id: groupId, count: before })
    .update({ count: before + 1 });
  if (changed) return;
  const outdated = new Contention(
    conflict(`Servers of the group ${groupId} are being placed by another process. Please try again.`),
  );
  if (before > 0) throw outdated;
  const fresh = (await db(table).insert({ group_id: groupId, count: 1 }).onConflict('group_id').ignore()) as unknown as number[];
  if ((await countGroupSelections(db, groupId)) !== 1 || !fresh) throw outdated;
}

/** The server of that UUID, also where it is deleted. */
export async function findServerEver(db: Db, uuid: string): Promise<Server | undefined> {
  const row = (await db('compute_servers').where({ uuid }).first()) as Row | undefined;
  return row && serverOf(row);
}
