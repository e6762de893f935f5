// The rules for changing the type of a volume. Upstream: retype in cinder/volume/api.py and
// cinder/volume/manager.py.
import { badRequest } from '../../../../kernel/errors.ts';
import { schedule } from '../../../../kernel/jobs/queue.ts';
import type { Context } from '../../../../kernel/model.ts';
import { encryptionOf } from '../../store/encryptions.ts';
import { findQosSpecs } from '../../store/qos-specs.ts';
import { snapshotsOf, updateSnapshot } from '../../store/snapshots.ts';
import { findType } from '../../store/types.ts';
import { updateVolume } from '../../store/volumes.ts';
import { invalidInput, invalidVolume } from '../errors.ts';
import { reserveQuota } from '../quotas.ts';
import type { Encryption, Volume, VolumeType } from '../../model.ts';
import { backendAt } from '../backend/backends.ts';
import { accepts, poolFor } from '../backend/scheduling.ts';
import { isMultiattach } from '../types/types.ts';
import { canMove, isMigrating } from './moving.ts';

/**
 * Checks that a volume is available if its new type changes multiattach.
 * @returns whether the new type turns multiattach on @throws 400
 */
export function checkMultiattach({ status, multiattach }: Volume, type: VolumeType): boolean {
  if (multiattach !== isMultiattach(type) && status !== 'available')
    throw badRequest(
      'Invalid input received: Invalid volume_type passed, retypes affecting multiattach are ' +
        'only allowed on available volumes, the specified volume however currently has a ' +
        `status of: ${status}.`,
    );
  return isMultiattach(type) && !multiattach;
}

/**
 * Begins to change the type of a volume. The migration policy is `never` or `on-demand`.
 * @throws 400, 413
 */
export async function retypeVolume(
  context: Context,
  volume: Volume,
  type: VolumeType,
  policy: string,
): Promise<void> {
  const { db, now } = context;
  const multiattach = isMultiattach(type);
  if (multiattach && (await encryptionOf(db, type.id)))
    throw invalidInput(
      'Retype requested both encryption and multi-attach, which is not supported.',
    );
  const { projectId, size } = volume;
  if (type.id !== volume.typeId)
    await reserveQuota(context, {
      projectId,
      typeName: type.name,
      volumes: 1,
      gigabytes: size,
      typeOnly: true,
    });
  if (
    !['available', 'in-use'].includes(volume.status) ||
    isMigrating(volume) ||
    volume.groupId !== null ||
    type.id === volume.typeId ||
    !(await qosAllows(context, volume, type))
  )
    throw invalidVolume(
      'Retype needs volume to be in available or in-use state, not be part of an active ' +
        'migration or a consistency group, requested type has to be different that the one ' +
        'from the volume, and for in-use volumes front-end qos specs cannot change.',
    );
  await updateVolume(
    db,
    volume,
    { status: 'retyping', previousStatus: volume.status, multiattach },
    now,
  );
  await schedule(db, {
    dueAt: now,
    kind: 'volume.retyped',
    subject: volume.id,
    payload: { typeId: type.id, policy },
  });
}

/**
 * Returns whether the QoS specs may change. They may not for a volume in use, if the front end
 * enforces the old or the new ones.
 */
async function qosAllows(
  { db }: Context,
  { status, typeId }: Volume,
  type: VolumeType,
): Promise<boolean> {
  const before = (await findType(db, { id: typeId }))!;
  if (status === 'available' || before.qosSpecsId === type.qosSpecsId) return true;
  for (const id of [before.qosSpecsId, type.qosSpecsId])
    if (id !== null && (await findQosSpecs(db, id))?.consumer !== 'back-end') return false;
  return true;
}

const encryptionKeyOf = (one: Encryption | undefined): string =>
  JSON.stringify(one ? [one.provider, one.controlLocation, one.cipher, one.keySize] : null);

const specsKeyOf = ({ extraSpecs, qosSpecsId }: VolumeType): string =>
  JSON.stringify([Object.entries(extraSpecs).toSorted(), qosSpecsId]);

/**
 * Returns whether the new type needs a migration. It does if either type is encrypted, and their
 * encryption, extra specs or QoS specs differ.
 */
async function needsMigration(
  { db }: Context,
  before: VolumeType,
  after: VolumeType,
): Promise<boolean> {
  const encryptionBefore = await encryptionOf(db, before.id);
  const encryptionAfter = await encryptionOf(db, after.id);
  if (!encryptionBefore && !encryptionAfter) return false;
  return (
    encryptionKeyOf(encryptionBefore) !== encryptionKeyOf(encryptionAfter) ||
    specsKeyOf(before) !== specsKeyOf(after)
  );
}

/** The payload of the job that ends a retype. */
export interface RetypePayload {
  readonly typeId: string;
  readonly policy: string;
}

/**
 * Ends a retype. The volume and its snapshots get the new type, or keep theirs if the new type was
 * deleted, has no pool, or needs a migration that is not possible.
 */
export async function endRetype(
  context: Context,
  volume: Volume,
  { typeId, policy }: RetypePayload,
): Promise<void> {
  const { db, now } = context;
  const before = (await findType(db, { id: volume.typeId }))!;
  const snapshots = await snapshotsOf(db, volume.id);
  const type = await findType(db, { id: typeId });
  const target = type && (await targetOf(context, volume, { before, type }));
  const mayMigrate = policy === 'on-demand' && !snapshots.length && canMove(volume);
  const after = target && (mayMigrate || !target.isMigration) ? type : before;
  const { id, name } = after;
  const encrypted =
    after === before ? volume.encrypted : (await encryptionOf(db, id)) !== undefined;
  const moved =
    after !== before && target!.isMigration
      ? ({ host: target!.host, migrationStatus: 'success' } as const)
      : {};
  await updateVolume(
    db,
    volume,
    {
      status: volume.previousStatus ?? 'available',
      previousStatus: null,
      typeId: id,
      typeName: name,
      multiattach: isMultiattach(after),
      encrypted,
      ...moved,
    },
    now,
  );
  if (after !== before)
    for (const snapshot of snapshots) await updateSnapshot(db, snapshot, { typeId: id }, now);
}

/**
 * The pool of a volume with its new type: its own if that accepts the type, or another one.
 * Upstream: find_retype_backend in cinder/scheduler/filter_scheduler.py.
 * @returns undefined if no pool accepts the type
 */
async function targetOf(
  context: Context,
  { host, size }: Volume,
  { before, type }: { readonly before: VolumeType; readonly type: VolumeType },
): Promise<{ readonly host: string; readonly isMigration: boolean } | undefined> {
  const own = host === null ? undefined : backendAt(context, host);
  if (own && (await accepts(context, own, type, 0)))
    return { host: own.pool, isMigration: await needsMigration(context, before, type) };
  const other = await poolFor(context, type, size);
  return other === undefined ? undefined : { host: other, isMigration: true };
}
