// The rules of actions that change the status or a flag of a volume: reserve, begin to detach, set
// readonly or bootable, extend, revert, and reset the status.
import type { Micros } from '../../../../kernel/clock.ts';
import { badRequest, conflict } from '../../../../kernel/errors.ts';
import { schedule } from '../../../../kernel/jobs/queue.ts';
import type { Context } from '../../../../kernel/model.ts';
import { snapshotsOf, updateSnapshot } from '../../store/snapshots.ts';
import { updateVolume } from '../../store/volumes.ts';
import { checkDetachable, removeAttachment } from '../attachments.ts';
import { invalidInput, invalidVolume } from '../errors.ts';
import { reserveQuota } from '../quotas.ts';
import type { AttachStatus, MigrationStatus, Snapshot, Volume, VolumeStatus } from '../../model.ts';

/**
 * How long extending and reverting take. The job is due at once, so the next request finds it done.
 */
const latency: Micros = 0;

const setStatus = ({ db, now }: Context, volume: Volume, status: VolumeStatus): Promise<Volume> =>
  updateVolume(db, volume, { status }, now);

/** Reserves a volume for a server, which sets the status `attaching`. @throws 400 */
export async function reserveVolume(context: Context, volume: Volume): Promise<void> {
  const expected = volume.multiattach ? ['available', 'in-use'] : ['available'];
  if (!expected.includes(volume.status))
    throw invalidVolume(
      `Volume status must be ${expected.join(' or ')} to reserve, but the status is ` +
        `${volume.status}.`,
    );
  await setStatus(context, volume, 'attaching');
}

/** Undoes a reservation. It does nothing if the volume is not reserved. */
export async function unreserveVolume(context: Context, volume: Volume): Promise<void> {
  if (volume.status === 'attaching')
    await setStatus(context, volume, volume.attachments.length ? 'in-use' : 'available');
}

/**
 * Ends a connection.
 * @throws 409 if Compute has attached the volume, or the volume has several attachments
 */
export async function terminateConnection(context: Context, volume: Volume): Promise<void> {
  if (volume.attachments.length > 1 && !context.actor.isService)
    throw conflict('Detach volume from instance  using the Compute API');
  checkDetachable(context, volume.attachments[0]);
  await unreserveVolume(context, volume);
}

/** Sets the status `detaching`. @throws 400 */
export async function beginDetaching(context: Context, volume: Volume): Promise<void> {
  if (volume.status !== 'in-use' || volume.attachStatus !== 'attached')
    throw invalidVolume(
      "Unable to detach volume. Volume status must be 'in-use' and attach_status must be " +
        "'attached' to detach.",
    );
  await setStatus(context, volume, 'detaching');
}

/** Sets a volume in the status `detaching` back to `in-use`. */
export async function rollBackDetaching(context: Context, volume: Volume): Promise<void> {
  if (volume.status === 'detaching') await setStatus(context, volume, 'in-use');
}

/** Sets whether servers may only read a volume. @throws 400 */
export async function setReadonly(
  { db, now }: Context,
  volume: Volume,
  readonly: boolean,
): Promise<void> {
  if (volume.status !== 'available')
    throw invalidVolume(
      `Volume ${volume.id} status must be available to update readonly flag, but current ` +
        `status is: ${volume.status}.`,
    );
  await updateVolume(db, volume, { readonly }, now);
}

/** Sets whether servers can boot from a volume. */
export async function setBootable(
  { db, now }: Context,
  volume: Volume,
  bootable: boolean,
): Promise<void> {
  await updateVolume(db, volume, { bootable }, now);
}

/**
 * Begins to extend a volume to a size in GiB. The volume must be in use if `attached` is true, and
 * available otherwise.
 * @throws 400, 413
 */
export async function extendVolume(
  context: Context,
  volume: Volume,
  size: number,
  attached: boolean,
): Promise<void> {
  const { db, now } = context;
  const { projectId, typeName } = volume;
  if (size <= volume.size)
    throw invalidInput(
      `New size for extend must be greater than current size. (current: ${volume.size}, ` +
        `extended: ${size}).`,
    );
  const expected = attached ? 'in-use' : 'available';
  if (volume.status !== expected)
    throw invalidVolume(
      `Volume ${volume.id} status must be '{'status': '${expected}'}' to extend, currently ` +
        `${volume.status}.`,
    );
  await reserveQuota(context, {
    projectId,
    typeName,
    gigabytes: size - volume.size,
    volumeSize: size,
  });
  await updateVolume(db, volume, { status: 'extending', previousStatus: volume.status }, now);
  await schedule(db, {
    dueAt: now + latency,
    kind: 'volume.extended',
    subject: volume.id,
    payload: { size, requestId: context.requestId },
  });
}

/**
 * Returns the latest snapshot of a volume, after checking that it has the given id and the size of
 * the volume.
 * @throws 400
 */
export async function snapshotToRevertTo(
  { db }: Context,
  volume: Volume,
  snapshotId: unknown,
): Promise<Snapshot> {
  const [latest] = await snapshotsOf(db, volume.id);
  if (!latest) throw badRequest(`Volume ${volume.id} doesn't have any snapshots.`);
  if (snapshotId !== latest.id)
    throw badRequest(
      `Specified snapshot ${String(snapshotId ?? 'None')} is None or not the latest one of ` +
        `volume ${volume.id}.`,
    );
  if (volume.size !== latest.size)
    throw badRequest(
      `${cannotRevert(volume, latest)} The volume size must be equal to the snapshot size.`,
    );
  return latest;
}

const cannotRevert = (volume: Volume, snapshot: Snapshot): string =>
  `Can't revert volume ${volume.id} to its latest snapshot ${snapshot.id}.`;

/** Begins to revert a volume to its latest snapshot. @throws 409 */
export async function revertVolume(
  { db, now }: Context,
  volume: Volume,
  snapshot: Snapshot,
): Promise<void> {
  const refusal = cannotRevert(volume, snapshot);
  if (volume.status !== 'available')
    throw conflict(`Invalid volume: ${refusal} Volume's status must be 'available'.`);
  if (snapshot.status !== 'available')
    throw conflict(`Invalid snapshot: ${refusal} Snapshot's status must be 'available'.`);
  await updateVolume(db, volume, { status: 'reverting' }, now);
  await updateSnapshot(db, snapshot, { status: 'restoring' }, now);
  await schedule(db, {
    dueAt: now + latency,
    kind: 'volume.reverted',
    subject: volume.id,
    payload: { snapshotId: snapshot.id },
  });
}

/** The statuses that an administrator sets. Undefined keeps the current status. */
export interface StatusReset {
  readonly status: VolumeStatus | undefined;
  readonly attachStatus: AttachStatus | undefined;
  /** `none` clears the migration status. */
  readonly migrationStatus: MigrationStatus | 'none' | undefined;
}

/**
 * Sets the statuses of a volume, regardless of its current ones. The attach status `detached` also
 * deletes its attachments.
 * @throws 400
 */
export async function resetStatus(
  context: Context,
  volume: Volume,
  { status, attachStatus, migrationStatus }: StatusReset,
): Promise<void> {
  if (status === 'deleting') throw badRequest(`Cannot reset-state to ${status}`);
  if (status === 'in-use' && !volume.attachments.length)
    throw badRequest('Cannot reset-state to in-use because volume does not have any attachments.');
  const change: Partial<Volume> = {
    status: status ?? volume.status,
    ...(attachStatus ? { attachStatus } : {}),
    ...(migrationStatus
      ? { migrationStatus: migrationStatus === 'none' ? null : migrationStatus }
      : {}),
  };
  await updateVolume(context.db, volume, change, context.now);
  if (attachStatus === 'detached')
    for (const attachment of volume.attachments) await removeAttachment(context, attachment);
}
