// The volumes and ports that are attached to servers.
import { requireAffectedRow } from '../../../../kernel/db/optimistic-lock.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { ServerVolume, ServerPort } from '../../model.ts';

interface VolumeRow {
  uuid: string;
  server_uuid: string;
  volume_id: string;
  attachment_id: string | null;
  device: string | null;
  tag: string | null;
  delete_on_termination: number;
  boot_index: number | null;
}

const volumeRecord = (row: VolumeRow): ServerVolume => ({
  uuid: row.uuid,
  serverUuid: row.server_uuid,
  volumeId: row.volume_id,
  attachmentId: row.attachment_id,
  device: row.device,
  tag: row.tag,
  deleteOnTermination: Boolean(row.delete_on_termination),
  bootIndex: row.boot_index,
});

/** The volumes of servers, in the order in which they were attached. */
export async function listServerVolumes(
  db: Db,
  servers: readonly string[],
): Promise<ServerVolume[]> {
  if (!servers.length) return [];
  return (
    (await db('compute_server_volumes')
      .whereIn('server_uuid', servers)
      .orderBy('id')) as VolumeRow[]
  ).map(volumeRecord);
}

/** Where a volume is attached. */
export async function listVolumeServers(db: Db, volumeId: string): Promise<ServerVolume[]> {
  return (
    (await db('compute_server_volumes').where({ volume_id: volumeId }).orderBy('id')) as VolumeRow[]
  ).map(volumeRecord);
}

export async function insertServerVolume(db: Db, volume: ServerVolume): Promise<void> {
  await db('compute_server_volumes').insert({
    uuid: volume.uuid,
    server_uuid: volume.serverUuid,
    volume_id: volume.volumeId,
    attachment_id: volume.attachmentId,
    device: volume.device,
    tag: volume.tag,
    delete_on_termination: volume.deleteOnTermination,
    boot_index: volume.bootIndex,
  });
}

export async function updateServerVolume(
  db: Db,
  uuid: string,
  changes: { deleteOnTermination?: boolean; attachmentId?: string | null; volumeId?: string },
): Promise<void> {
  const { deleteOnTermination, attachmentId, volumeId } = changes;
  const row = {
    ...(deleteOnTermination === undefined ? {} : { delete_on_termination: deleteOnTermination }),
    ...(attachmentId === undefined ? {} : { attachment_id: attachmentId }),
    ...(volumeId === undefined ? {} : { volume_id: volumeId }),
  };
  if (Object.keys(row).length)
    await requireAffectedRow(
      db('compute_server_volumes').where({ uuid }).update(row),
      'volume attachment',
    );
}

export async function deleteServerVolume(db: Db, uuid: string): Promise<void> {
  await db('compute_server_volumes').where({ uuid }).delete();
}

interface PortRow {
  server_uuid: string;
  port_id: string;
  tag: string | null;
  own: number;
}

/** The ports of servers, in the order in which they were attached. */
export async function listServerPorts(db: Db, servers: readonly string[]): Promise<ServerPort[]> {
  if (!servers.length) return [];
  const rows = (await db('compute_server_interfaces')
    .whereIn('server_uuid', servers)
    .orderBy('id')) as PortRow[];
  return rows.map((row) => ({
    serverUuid: row.server_uuid,
    portId: row.port_id,
    tag: row.tag,
    own: Boolean(row.own),
  }));
}

export async function insertServerPort(
  db: Db,
  { serverUuid, portId, tag, own }: ServerPort,
): Promise<void> {
  await db('compute_server_interfaces').insert({
    server_uuid: serverUuid,
    port_id: portId,
    tag,
    own,
  });
}

export async function deleteServerPort(db: Db, serverUuid: string, portId: string): Promise<void> {
  await db('compute_server_interfaces')
    .where({ server_uuid: serverUuid, port_id: portId })
    .delete();
}
