// The rules of transfers: a project offers a volume, another that has the key takes it. Upstream: cinder/transfer/api.py.
import { createHmac } from 'node:crypto';
import type { Micros } from '../../../kernel/clock.ts';
import { badRequest, notFound, type Fault } from '../../../kernel/fault.ts';
import { newHexId, newUuid } from '../../../kernel/ids.ts';
import { snapshotsOf, updateSnapshot } from '../store/snapshots.ts';
import { deleteTransfer, findTransfer, insertTransfer } from '../store/transfers.ts';
import { findVolume, updateVolume } from '../store/volumes.ts';
import { claim } from './quotas.ts';
import type { Viewer, Volume } from './records.ts';
import { invalidSnapshot, invalidVolume } from './refusals.ts';
import type { Db } from '../../../kernel/db/database.ts';

export interface Transfer {
  readonly id: string;
  readonly volumeId: string;
  readonly name: string | null;
  readonly salt: string;
  readonly cryptHash: string;
  readonly noSnapshots: boolean;
  readonly sourceProjectId: string;
  readonly createdAt: Micros;
}

const noTransfer = (id: string): Fault => notFound(`Transfer ${id} could not be found.`);

const hashOf = (salt: string, key: string): string => createHmac('sha1', salt).update(key).digest('hex');

/** A transfer with its volume. @throws 404, also for one of another project */
export async function transferFor(db: Db, viewer: Viewer, id: string): Promise<{ transfer: Transfer; volume: Volume }> {
  const transfer = await findTransfer(db, id);
  const volume = transfer && (await findVolume(db, transfer.volumeId));
  if (!volume || (!viewer.isAdmin && volume.projectId !== viewer.projectId)) throw noTransfer(id);
  return { transfer, volume };
}

export interface TransferRequest {
  readonly name: string | null;
  readonly noSnapshots: boolean;
  /** Whether the version transfers encrypted volumes. */
  readonly encrypted: boolean;
}

/** Offers a volume. @returns the transfer, and the key that is told only once. @throws 400 */
export async function createTransfer(
  db: Db,
  volume: Volume,
  { name, noSnapshots, encrypted }: TransferRequest,
  now: Micros,
): Promise<{ transfer: Transfer; key: string }> {
  if (volume.status !== 'available') throw invalidVolume('status must be available');
  if (volume.encrypted && !encrypted) throw invalidVolume('transferring encrypted volume is not supported');
  if (volume.encrypted && noSnapshots)
    throw invalidVolume('transferring an encrypted volume without its snapshots is not supported');
  const busy = noSnapshots ? undefined : (await snapshotsOf(db, volume.id)).find(({ status }) => status !== 'available');
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

/** Takes an offer back. */
export async function dropTransfer(db: Db, transfer: Transfer, volume: Volume, now: Micros): Promise<void> {
  if (volume.status === 'awaiting-transfer') await updateVolume(db, volume, { status: 'available' }, now);
  await deleteTransfer(db, transfer.id);
}

type Taker = Pick<Viewer, 'userId'> & { readonly projectId: string };

/** Takes what was offered, with its snapshots where they come along. @throws 400, 404, 413 */
export async function acceptTransfer(db: Db, taker: Taker, id: string, key: string, now: Micros): Promise<Transfer> {
  const { transfer, volume } = await transferFor(db, { ...taker, isAdmin: true }, id);
  if (hashOf(transfer.salt, key) !== transfer.cryptHash)
    throw badRequest(`Invalid auth key: Attempt to transfer ${id} with invalid auth key.`);
  const { projectId, userId } = taker;
  const { size, typeName } = volume;
  await claim(db, { projectId, typeName, volumes: 1, gigabytes: size, volumeSize: size });
  if (volume.status !== 'awaiting-transfer')
    throw invalidVolume(`Transfer ${id}: Volume id ${volume.id} expected in awaiting-transfer state.`);
  await updateVolume(db, volume, { status: 'available', projectId, userId }, now);
  const snapshots = transfer.noSnapshots ? [] : await snapshotsOf(db, volume.id);
  const gigabytes = snapshots.reduce((sum, snapshot) => sum + snapshot.size, 0);
  if (snapshots.length) await claim(db, { projectId, typeName, snapshots: snapshots.length, gigabytes });
  for (const snapshot of snapshots) {
    if (snapshot.status !== 'available')
      throw invalidSnapshot(`Transfer ${id}: Snapshot ${snapshot.id} is not in the expected available state.`);
    await updateSnapshot(db, snapshot, { projectId, userId }, now);
  }
  await deleteTransfer(db, id);
  return transfer;
}
