// Volume's door: what Compute asks of it, in its own transaction. The actor of the work is who looks.
import type { Work } from '../../kernel/model.ts';
import type { Attachment, Snapshot, Viewer, Volume } from './domain/records.ts';
import * as snapshots from './domain/snapshots.ts';
import * as volumes from './domain/volumes.ts';
import * as inside from './in-process.ts';
import * as attachments from './store/attachments.ts';

export type { Attachment, Snapshot as VolumeSnapshot, Volume } from './domain/records.ts';
export type { Request as VolumeRequest } from './domain/volumes.ts';
export type { Place } from './in-process.ts';

/** The actor as the maker of something, which has a project. */
const maker = ({ actor }: Work): Viewer & { projectId: string } => ({ ...actor, projectId: actor.projectId ?? '' });

/** @throws 404, also for a volume of another project */
export const volumeFor = ({ db, actor }: Work, id: string): Promise<Volume> => volumes.volumeFor(db, actor, id);

/** @throws 404, also for a snapshot of another project */
export const snapshotFor = ({ db, actor }: Work, id: string): Promise<Snapshot> => volumes.snapshotFor(db, actor, id);

/** Makes a volume that is available at once, for the actor's project. @throws 400, 404, 413 */
export const createReadyVolume = (work: Work, request: volumes.Request): Promise<Volume> =>
  volumes.createReadyVolume(work.db, maker(work), request, work.now);

/** Makes a snapshot of a volume, for the actor's project. @throws 400, 413 */
export const createVolumeSnapshot = (
  work: Work,
  volume: Volume,
  request: Parameters<typeof snapshots.createSnapshot>[3],
): Promise<Snapshot> => snapshots.createSnapshot(work.db, maker(work), volume, request, work.now);

/** Attaches a volume to a server, from reserving it to its being in use. @throws 400, 409 */
export const attachToServer = ({ db, now }: Work, volume: Volume, place: inside.Place): Promise<Attachment> =>
  inside.attachToServer(db, volume, place, now);

/** Takes a server's attachment away, if it exists. */
export const detachFromServer = ({ db, now }: Work, attachmentId: string): Promise<void> =>
  inside.detachFromServer(db, attachmentId, now);

/** Writes another image over a server's volume. @throws 400, 409 */
export const reimageForServer = ({ db, now }: Work, volumeId: string, imageId: string): Promise<void> =>
  inside.reimageForServer(db, volumeId, imageId, now);

/** Begins to delete a volume that goes with its server; one that has snapshots, or is in use elsewhere, stays. */
export const deleteWithServer = ({ db, now }: Work, volumeId: string): Promise<void> =>
  inside.deleteWithServer(db, volumeId, now);

/** The attachments of a server, in the order of their making. */
export const attachmentsOfServer = ({ db }: Work, serverId: string): Promise<Attachment[]> =>
  attachments.attachmentsOfServer(db, serverId);
