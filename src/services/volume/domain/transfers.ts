// The rules of transfers: a project offers a volume, and another project that has the key accepts
// it. Upstream: cinder/transfer/api.py.
import { createHmac } from 'node:crypto';
import { badRequest, notFound, type ApiError } from '../../../kernel/errors.ts';
import { newHexId, newUuid } from '../../../kernel/ids.ts';
import type { Context } from '../../../kernel/model.ts';
import type { ListRequest } from '../store/lists.ts';
import { snapshotsOf, updateSnapshot } from '../store/snapshots.ts';
import {
  deleteTransfer,
  findTransfer,
  insertTransfer,
  selectTransfers,
} from '../store/transfers.ts';
import { findVolume, updateVolume } from '../store/volumes.ts';
import { invalidSnapshot, invalidVolume } from './errors.ts';
import { pageFor } from './lists.ts';
import { reserveQuota } from './quotas.ts';
import type { Transfer, Volume } from '../model.ts';
import { isVisible, projectOf } from './visibility.ts';

const noTransfer = (id: string): ApiError => notFound(`Transfer ${id} could not be found.`);

const hashOf = (salt: string, key: string): string =>
  createHmac('sha1', salt).update(key).digest('hex');

interface TransferOfVolume {
  readonly transfer: Transfer;
  readonly volume: Volume;
}

/**
 * Returns a transfer that the actor may see, with its volume.
 * @throws 404, also for a volume of another project
 */
export async function transferFor(context: Context, id: string): Promise<TransferOfVolume> {
  const found = await findWithVolume(context, id);
  if (!isVisible(context, found.volume)) throw noTransfer(id);
  return found;
}

async function findWithVolume({ db }: Context, id: string): Promise<TransferOfVolume> {
  const transfer = await findTransfer(db, id);
  const volume = transfer && (await findVolume(db, transfer.volumeId));
  if (!volume) throw noTransfer(id);
  return { transfer, volume };
}

/** Lists the transfers on the page that a client requests. @throws 404 for an unknown marker */
export async function listTransfers(
  context: Context,
  request: ListRequest<Transfer>,
): Promise<Transfer[]> {
  const findMarker = async (marker: string): Promise<Transfer> =>
    (await transferFor(context, marker)).transfer;
  return selectTransfers(context.db, await pageFor(context, request, findMarker));
}

/** A transfer to create. */
export interface TransferRequest {
  readonly name: string | null;
  readonly noSnapshots: boolean;
  /** Whether the volume may be encrypted. */
  readonly allowEncrypted: boolean;
}

/** Offers a volume. @returns the transfer and its key, which is not stored @throws 400 */
export async function createTransfer(
  { db, now }: Context,
  volume: Volume,
  { name, noSnapshots, allowEncrypted }: TransferRequest,
): Promise<{ transfer: Transfer; key: string }> {
  if (volume.status !== 'available') throw invalidVolume('status must be available');
  if (volume.encrypted && !allowEncrypted)
    throw invalidVolume('transferring encrypted volume is not supported');
  if (volume.encrypted && noSnapshots)
    throw invalidVolume('transferring an encrypted volume without its snapshots is not supported');
  const busy = noSnapshots
    ? undefined
    : (await snapshotsOf(db, volume.id)).find(({ status }) => status !== 'available');
  if (busy) throw invalidSnapshot(`snapshot: ${busy.id} status must be available`);
  const salt = newHexId().slice(0, 8);
  const key = newHexId().slice(0, 16);
  const transfer: Transfer = {
    id: newUuid(),
    volumeId: volume.id,
    name,
    salt,
    cryptHash: hashOf(salt, key),
    noSnapshots,
    sourceProjectId: volume.projectId,
    createdAt: now,
  };
  await updateVolume(db, volume, { status: 'awaiting-transfer' }, now);
  await insertTransfer(db, transfer);
  return { transfer, key };
}

/** Deletes a transfer, and makes its volume available again. */
export async function removeTransfer(
  { db, now }: Context,
  { transfer, volume }: TransferOfVolume,
): Promise<void> {
  if (volume.status === 'awaiting-transfer')
    await updateVolume(db, volume, { status: 'available' }, now);
  await deleteTransfer(db, transfer.id);
}

/**
 * Accepts a transfer for the actor's project. The volume moves to the project, with its snapshots
 * unless the transfer excludes them.
 * @throws 400, 403, 404, 413
 */
export async function acceptTransfer(context: Context, id: string, key: string): Promise<Transfer> {
  const { db, now, actor } = context;
  const projectId = projectOf(context);
  const { transfer, volume } = await findWithVolume(context, id);
  if (hashOf(transfer.salt, key) !== transfer.cryptHash)
    throw badRequest(`Invalid auth key: Attempt to transfer ${id} with invalid auth key.`);
  const { userId } = actor;
  const { size, typeName } = volume;
  await reserveQuota(context, {
    projectId,
    typeName,
    volumes: 1,
    gigabytes: size,
    volumeSize: size,
  });
  if (volume.status !== 'awaiting-transfer')
    throw invalidVolume(
      `Transfer ${id}: Volume id ${volume.id} expected in awaiting-transfer state.`,
    );
  await updateVolume(db, volume, { status: 'available', projectId, userId }, now);
  const snapshots = transfer.noSnapshots ? [] : await snapshotsOf(db, volume.id);
  const gigabytes = snapshots.reduce((sum, snapshot) => sum + snapshot.size, 0);
  if (snapshots.length)
    await reserveQuota(context, { projectId, typeName, snapshots: snapshots.length, gigabytes });
  for (const snapshot of snapshots) {
    if (snapshot.status !== 'available')
      throw invalidSnapshot(
        `Transfer ${id}: Snapshot ${snapshot.id} is not in the expected available state.`,
      );
    await updateSnapshot(db, snapshot, { projectId, userId }, now);
  }
  await deleteTransfer(db, id);
  return transfer;
}
