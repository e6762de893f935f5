// Volume's door: what Compute may ask of it, in the transaction of its own work.
export {
  /** The volume that the actor sees. @throws 404 */
  volumeFor,
  /** Creates a volume that is available at once, for the actor's project. @throws 400, 404, 413 */
  createReadyVolume,
} from './domain/volumes/volumes.ts';
export {
  /** The type with that id or name, which the actor sees. @throws 404 */
  typeNamed,
} from './domain/types/types.ts';
export {
  /** The snapshot that the actor sees. @throws 404 */
  snapshotFor,
  /** Creates a snapshot of a volume, for the actor's project. @throws 400, 413 */
  createSnapshot as createVolumeSnapshot,
} from './domain/snapshots.ts';
export {
  /**
   * Attaches a volume to a server at a place, from reserving it to its being in use.
   * @throws 400, 409
   */
  attachToServer,
  /** Deletes an attachment, if it exists. */
  detachFromServer,
  /** Writes an image over a server's volume. @throws 400, 409 */
  reimageForServer,
  /** Begins to delete the volume of a deleted server; a volume that is not available stays. */
  deleteWithServer,
  /** The attachments of a server, oldest first. */
  attachmentsOfServer,
} from './domain/volumes/servers.ts';
export type { AttachmentTarget } from './domain/volumes/servers.ts';
export type { VolumeRequest } from './domain/volumes/volumes.ts';
export type { Attachment, Snapshot as VolumeSnapshot, Volume, VolumeType } from './model.ts';
