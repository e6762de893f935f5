// The rules of giving a volume another type. Upstream: retype in cinder/volume/api.py and cinder/volume/manager.py.
import type { Micros } from '../../../kernel/clock.ts';
import { schedule } from '../../../kernel/jobs.ts';
import { encryptionOf } from '../store/encryptions.ts';
import { findQos } from '../store/qos.ts';
import { snapshotsOf, updateSnapshot } from '../store/snapshots.ts';
import { findType } from '../store/types.ts';
import { updateVolume } from '../store/volumes.ts';
import { claim } from './quotas.ts';
import type { Encryption, Volume, VolumeType } from './records.ts';
import { invalidInput, invalidVolume } from './refusals.ts';
import { poolFor } from './scheduling.ts';
import { isMultiattach } from './types.ts';
import type { Db } from '../../../kernel/db/database.ts';

/** Begins to give a volume another type. @throws 400, 413 */
export async function retypeVolume(db: Db, volume: Volume, type: VolumeType, policy: string, now: Micros): Promise<void> {
  const multiattach = isMultiattach(type);
  if (multiattach && (await encryptionOf(db, type.id)))
    throw invalidInput('Retype requested both encryption and multi-attach, which is not supported.');
  const { projectId, size } = volume;
  if (type.id !== volume.typeId)
    await claim(db, { projectId, typeName: type.name, volumes: 1, gigabytes: size, ofTypeOnly: true });
  const isStill = [null, 'success', 'error', 'deleting'].includes(volume.migrationStatus);
  if (
    !['available', 'in-use'].includes(volume.status) ||
    !isStill ||
    type.id === volume.typeId ||
    !(await qosAllows(db, volume, type))
  )
    throw invalidVolume(
      'Retype needs volume to be in available or in-use state, not be part of an active migration or a consistency group, requested type has to be different that the one from the volume, and for in-use volumes front-end qos specs cannot change.',
    );
  await updateVolume(db, volume, { status: 'retyping', previousStatus: volume.status, multiattach }, now);
  await schedule(db, { dueAt: now, kind: 'volume.retyped', subject: volume.id, payload: { typeId: type.id, policy } });
}

/** What a server's host sees to does not change below it. */
async function qosAllows(db: Db, { status, typeId }: Volume, type: VolumeType): Promise<boolean> {
  const before = (await findType(db, { id: typeId }))!;
  if (status === 'available' || before.qosSpecsId === type.qosSpecsId) return true;
  for (const id of [before.qosSpecsId, type.qosSpecsId])
    if (id !== null && (await findQos(db, id))?.consumer !== 'back-end') return false;
  return true;
}

const factsOf = (one: Encryption | undefined): string =>
  JSON.stringify(one ? [one.provider, one.controlLocation, one.cipher, one.keySize] : null);

const specsOf = ({ extraSpecs, qosSpecsId }: VolumeType): string =>
  JSON.stringify([Object.entries(extraSpecs).toSorted(), qosSpecsId]);

/** Whether the data must move: where either type is encrypted, and they are not all the same. */
async function mustMove(db: Db, before: VolumeType, after: VolumeType): Promise<boolean> {
  const [old, fresh] = [await encryptionOf(db, before.id), await encryptionOf(db, after.id)];
  if (!old && !fresh) return false;
  return factsOf(old) !== factsOf(fresh) || specsOf(before) !== specsOf(after);
}

/** Ends it: the volume and its snapshots have the other type, or all stays as it was. */
export async function endRetype(
  db: Db,
  volume: Volume,
  { typeId, policy }: { typeId: string; policy: string },
  now: Micros,
): Promise<void> {
  const before = (await findType(db, { id: volume.typeId }))!;
  const type = await findType(db, { id: typeId });
  const snapshots = await snapshotsOf(db, volume.id);
  const stays =
    !type ||
    (await poolFor(db, type)) === undefined ||
    ((await mustMove(db, before, type)) && (policy !== 'on-demand' || snapshots.length > 0));
  const status = volume.previousStatus ?? 'available';
  const { id, name } = stays ? before : type;
  const encrypted = stays ? volume.encrypted : (await encryptionOf(db, id)) !== undefined;
  const multiattach = isMultiattach(stays ? before : type);
  await updateVolume(db, volume, { status, previousStatus: null, typeId: id, typeName: name, multiattach, encrypted }, now);
  if (!stays) for (const snapshot of snapshots) await updateSnapshot(db, snapshot, { typeId: id }, now);
}
