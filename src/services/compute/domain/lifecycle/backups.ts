// Creates backups of servers: images of which only the newest are kept. Upstream: compute/api.py
// backup, compute/manager.py _rotate_backups.
import { badRequest } from '../../../../kernel/errors.ts';
import { failedSnapshot, snapshotFields, snapshotProperties } from './changes.ts';
import { idle, requireState } from '../servers/checks.ts';
import {
  backupsOf,
  createSnapshot,
  deleteSnapshot,
  storeSnapshotData,
} from '../../clients/image.ts';
import type { BackupArgs } from '../servers/task-args.ts';
import { startAction, type Task } from '../servers/tasks.ts';
import type { Context } from '../../../../kernel/model.ts';
import { isOnVolume } from '../servers/states.ts';
import type { Server } from '../../model.ts';

/** The parameters of a backup. */
export interface Backup extends Pick<BackupArgs, 'type' | 'rotation'> {
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Creates a backup. When it is complete, the oldest backups beyond the rotation are deleted.
 * @returns the id of its image
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

export const createBackupTask: Task<BackupArgs> = {
  event: 'compute_backup_instance',
  notified: snapshotFields,
  async run(context, { uuid }, { id: newest, type, rotation }) {
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
