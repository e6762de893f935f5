// Backups of servers: images of which only the newest are kept. Upstream: compute/api.py backup, compute/manager.py _rotate_backups.
import { badRequest } from '../../../../kernel/fault.ts';
import type { Server } from '../../store/servers/servers.ts';
import { failedSnapshot, snapshotProperties } from './changes.ts';
import { idle, require } from '../servers/checks.ts';
import { backupsOf, beginSnapshot, dropSnapshot, finishSnapshot } from '../../neighbours/servers.ts';
import { begin, type Actor, type Task } from '../servers/tasks.ts';
import { isOnVolume } from '../servers/states.ts';

/** What a client says of a backup. */
export interface Backup {
  readonly name: string;
  /** Such as `daily`: backups of one type make room for each other. */
  readonly type: string;
  /** How many of the type are kept. */
  readonly rotation: number;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Makes a backup, and has those that are too many deleted. @returns the id of its image. @throws 400, 409 */
export async function createBackup(actor: Actor, server: Server, backup: Backup): Promise<string> {
  const { name, type, rotation, metadata } = backup;
  const vmStates = ['active', 'stopped', 'paused', 'suspended'];
  require(server, { action: 'createBackup', vmStates, taskStates: idle, evenLocked: true }, actor.isAdmin);
  if (isOnVolume(server)) throw badRequest('Backup is not supported for volume-backed instances.');
  const { db, now, projectId } = actor;
  const properties = { ...snapshotProperties(actor, server, 'backup'), ...metadata, backup_type: type };
  const id = await beginSnapshot(db, { name, projectId, properties, minDisk: server.flavor.disk, minRam: 0 }, now);
  await begin(actor, server, {
    action: 'createBackup',
    task: 'createBackup',
    taskState: 'image_backup',
    args: { id, type, rotation },
    latency: 'server.createBackup',
  });
  return id;
}

export const createBackupTask: Task = {
  event: 'compute_backup_instance',
  async run({ db, now }, { uuid }, args) {
    const { id: newest, type, rotation } = args as unknown as Pick<Backup, 'type' | 'rotation'> & { id: string };
    await finishSnapshot(db, newest, now);
    const backups = await backupsOf(db, uuid, type);
    const inOrder = backups.toSorted((one, other) => Number(other === newest) - Number(one === newest));
    for (const id of inOrder.slice(rotation)) await dropSnapshot(db, id);
    return {};
  },
  failed: failedSnapshot,
};
