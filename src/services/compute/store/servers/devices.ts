// The tables of the volumes and ports that are attached to servers.
import { deferred } from '../../../../kernel/db/transaction.ts';
import { boolean, integer, nullable, referring, text } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { requireAffectedRow } from '../../../../kernel/db/optimistic-lock.ts';
import { Table } from '../../../../kernel/db/table.ts';
import type { ServerPort, ServerVolume } from '../../model.ts';

/** A row with a number that counts up, so that lists keep the order of the inserts. */
type Numbered<T> = T & { readonly id: number };

const serverVolumes = new Table<Numbered<ServerVolume>, 'id'>('compute_server_volumes', {
  id: integer,
  uuid: text,
  serverUuid: referring(text, 'compute_servers.uuid'),
  volumeId: referring(text, 'volume_volumes.id'),
  attachmentId: referring(nullable(text), 'volume_attachments.id'),
  device: nullable(text),
  tag: nullable(text),
  deleteOnTermination: boolean,
  bootIndex: nullable(integer),
});
const serverPorts = new Table<Numbered<ServerPort>, 'id'>('compute_server_interfaces', {
  id: integer,
  serverUuid: referring(text, 'compute_servers.uuid'),
  portId: referring(text, 'network_ports.id'),
  tag: nullable(text),
  own: boolean,
});

/** Lists the volumes of servers, in the order in which they were attached. */
export const listServerVolumes = async (
  db: Db,
  servers: readonly string[],
): Promise<ServerVolume[]> =>
  servers.length ? serverVolumes.list(db, { where: { serverUuid: servers } }) : [];

/** Lists the servers that a volume is attached to. */
export const listVolumeServers = (db: Db, volumeId: string): Promise<ServerVolume[]> =>
  serverVolumes.list(db, { where: { volumeId } });

export async function insertServerVolume(db: Db, volume: ServerVolume): Promise<void> {
  await serverVolumes.insert(db, volume);
}

/** @throws SerializationFailure if another transaction has just detached the volume */
export async function updateServerVolume(
  db: Db,
  uuid: string,
  changes: Pick<ServerVolume, 'deleteOnTermination'>,
): Promise<void> {
  await requireAffectedRow(serverVolumes.update(db, { uuid }, changes), 'volume attachment');
}

export async function deleteServerVolume(db: Db, uuid: string): Promise<void> {
  await serverVolumes.remove(db, { uuid });
}

/** Lists the ports of servers, in the order in which they were attached. */
export const listServerPorts = async (db: Db, servers: readonly string[]): Promise<ServerPort[]> =>
  servers.length ? serverPorts.list(db, { where: { serverUuid: servers } }) : [];

export async function insertServerPort(db: Db, port: ServerPort): Promise<void> {
  await deferred(serverPorts.insert(db, port));
}

/** Gives the ports of a server to another one. */
export async function moveServerPorts(db: Db, from: string, to: string): Promise<void> {
  await serverPorts.update(db, { serverUuid: from }, { serverUuid: to });
}

export async function deleteServerPort(db: Db, serverUuid: string, portId: string): Promise<void> {
  await deferred(serverPorts.remove(db, { serverUuid, portId }));
}
