// Moves volumes to another backend. Upstream: migrate_volume in cinder/volume/api.py,
// cinder/scheduler/manager.py and cinder/volume/manager.py.
import { badRequest } from '../../../../kernel/errors.ts';
import type { Micros } from '../../../../kernel/clock.ts';
import { schedule } from '../../../../kernel/jobs/queue.ts';
import type { Context } from '../../../../kernel/model.ts';
import { snapshotsOf } from '../../store/snapshots.ts';
import { findType } from '../../store/types.ts';
import { findVolume, updateVolume } from '../../store/volumes.ts';
import type { Volume } from '../../model.ts';
import { attachVolume, detachVolume } from '../attachments.ts';
import { backendAt } from '../backend/backends.ts';
import { accepts } from '../backend/scheduling.ts';
import { isDisabled } from '../backend/services.ts';
import { invalidVolume } from '../errors.ts';
import { canMove, isMigrating } from './moving.ts';

/** How long a migration takes. The job is due at once, so the next request finds it done. */
const latency: Micros = 0;

/** Where a volume moves to. */
export interface MigrationRequest {
  /** A pool, or the host of a volume service. */
  readonly host: string;
  /** Whether an available volume is in maintenance meanwhile, so that nobody can use it. */
  readonly locks: boolean;
}

/** Begins to move a volume to another host. @throws 400 */
export async function migrateVolume(
  context: Context,
  volume: Volume,
  { host, locks }: MigrationRequest,
): Promise<void> {
  const { db, now } = context;
  const backend = backendAt(context, host.split('#')[0]!);
  if (!backend || (await isDisabled(context, backend.service)))
    throw badRequest(`Invalid host: No available service named '${host}'`);
  if (
    !['available', 'in-use'].includes(volume.status) ||
    isMigrating(volume) ||
    volume.groupId !== null ||
    volume.host === host ||
    (await snapshotsOf(db, volume.id)).length
  )
    throw invalidVolume(
      `Volume ${volume.id} status must be available or in-use, must not be migrating, have ` +
        'snapshots, be replicated, be part of a group and destination host/cluster must be ' +
        'different than the current one',
    );
  const isLocked = locks && volume.status === 'available';
  await updateVolume(
    db,
    volume,
    {
      migrationStatus: 'starting',
      previousStatus: volume.status,
      ...(isLocked ? { status: 'maintenance' } : {}),
    },
    now,
  );
  await schedule(db, {
    dueAt: now + latency,
    kind: 'volume.migrated',
    subject: volume.id,
    payload: { host },
  });
}

/** Moves a volume, or reports that its target does not accept it. */
export async function endMigration(
  context: Context,
  volume: Volume,
  { host }: Pick<MigrationRequest, 'host'>,
): Promise<void> {
  const { db, now } = context;
  const type = (await findType(db, { id: volume.typeId }))!;
  const backend = backendAt(context, host);
  const isPossible =
    backend && canMove(volume) && (await accepts(context, backend, type, volume.size));
  const status =
    volume.status === 'maintenance' ? (volume.previousStatus ?? 'maintenance') : volume.status;
  await updateVolume(
    db,
    volume,
    isPossible
      ? { status, previousStatus: volume.status, migrationStatus: 'success', host: backend.pool }
      : { status, migrationStatus: 'error' },
    now,
  );
}

/**
 * Completes a migration that Compute has swapped volumes for. Volumes that are not being migrated
 * exchange their attachments.
 * @returns the id of the volume that stays @throws 400, 404
 */
export async function completeMigration(
  context: Context,
  volume: Volume,
  target: Volume,
  failed: boolean,
): Promise<string> {
  if (volume.migrationStatus === null && target.migrationStatus === null) {
    if (!failed)
      for (const { id, instanceUuid, hostName, mountpoint } of volume.attachments) {
        await detachVolume(context, (await findVolume(context.db, volume.id))!, id);
        const request = { instanceUuid, hostName, mountpoint: mountpoint ?? '', mode: 'rw' };
        await attachVolume(context, (await findVolume(context.db, target.id))!, request);
      }
    return target.id;
  }
  if (volume.migrationStatus === null) throw invalidVolume('Source volume not mid-migration.');
  if (target.migrationStatus === null) throw invalidVolume('Destination volume not mid-migration.');
  throw invalidVolume(
    `Destination has migration_status ${target.migrationStatus}, expected target:${volume.id}.`,
  );
}
