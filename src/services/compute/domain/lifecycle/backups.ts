// Backups of servers: images of which only the newest are kept. Upstream: compute/api.py backup,
// compute/manager.py _rotate_backups.
import { badRequest } from '../../../../kernel/errors.ts';
import { failedSnapshot, snapshotProperties } from './changes.ts';
import { idle, requireState } from '../servers/checks.ts';
import {
  backupsOf,
  createSnapshot,
  deleteSnapshot,
  storeSnapshotData,
} from '../../clients/image.ts';
import { startAction, type Task } from '../servers/tasks.ts';
import type { Context } from '../../../../kernel/model.ts';
import { isOnVolume } from '../servers/states.ts';
import type { Server } from '../../model.ts';

/** What a request says of a backup. */
export interface Backup {
  readonly name: string;
  /** Such as `daily`: backups of one type replace each other. */
  readonly type: string;
  /** How many of the type are kept. */
  readonly rotation: number;
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Creates a backup; once it is made, the oldest beyond the rotation are deleted.
 * @returns the id of its image.
 * @throws 400, 409
 */
export async function createBackup(
  context: Context,
  server: Server,
  backup: Backup,
): Promise<string> {
  const { name, type, rotation, metadata } = backup;
  const vmStates = ['active', 'stopped', 'paused', 'suspended'];
  requireState(context, server, {
    action: 'createBackup',
    vmStates,
    taskStates: idle,
    evenLocked: true,
  });
  if (isOnVolume(server)) throw badRequest('Backup is not supported for volume-backed instances.');
  const owners = { projectId: context.actor.projectId ?? '', serverProjectId: server.projectId };
  const properties = {
    ...snapshotProperties(context, server, 'backup'),
    ...metadata,
    backup_type: type,
  };
  const id = await createSnapshot(context, {
    ...owners,
    name,
    properties,
    minDisk: server.flavor.disk,
    minRam: 0,
  });
  await startAction(context, server, {
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
  async run(context, { uuid }, args) {
    const {
      id: newest,
      type,
      rotation,
    } = args as unknown as Pick<Backup, 'type' | 'rotation'> & { id: string };
    await storeSnapshotData(context, newest);
    const backups = await backupsOf(context, uuid, type);
    const inOrder = backups.toSorted(
      (one, other) => Number(other === newest) - Number(one === newest),
    );
    for (const id of inOrder.slice(rotation)) await deleteSnapshot(context, id);
    return {};
  },
  failed: failedSnapshot,
};
