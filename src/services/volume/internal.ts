// The functions that Compute calls, in its own transaction.
export {
  /** Returns a volume that the actor may see. @throws 404 */
  volumeFor,
  /** Creates a volume that is available at once, for the actor's project. @throws 400, 404, 413 */
  createReadyVolume,
} from './domain/volumes/volumes.ts';
export {
  /** Returns a type that the actor may see, by id or name. @throws 404 */
  typeNamed,
} from './domain/types/types.ts';
export {
  /** Returns a snapshot that the actor may see. @throws 404 */
  snapshotFor,
  /** Creates a snapshot of a volume, for the actor's project. @throws 400, 413 */
  createSnapshot as createVolumeSnapshot,
} from './domain/snapshots.ts';
export {
  /**
   * Attaches a volume to a server in one step, after which the volume is in use.
   * @throws 400, 409
   */
  attachToServer,
  /** Deletes an attachment, if it exists. */
  detachFromServer,
  /** Overwrites the volume of a server with an image. @throws 400, 409 */
  reimageForServer,
  /** Begins to delete the volume of a deleted server, if the volume is available. */
  deleteWithServer,
  /** Lists the attachments of a server, oldest first. */
  attachmentsOfServer,
} from './domain/volumes/servers.ts';
export {
  /** Returns the limits of a project by resource. */
  limitsOf as quotaLimitsOf,
  /** Checks that a project with some usage stays within its limits. @throws 413 */
  checkQuota,
  /** Checks that new limits are not below the usage. @throws 400 */
  checkAboveUsage,
  type Reservation as QuotaReservation,
} from './domain/quotas.ts';
export {
  /** Returns the type of new volumes of the actor's project that name none. */
  defaultType,
} from './domain/types/types.ts';
export type { AttachmentTarget } from './domain/volumes/servers.ts';
export type { VolumeRequest } from './domain/volumes/volumes.ts';
export type { Attachment, Snapshot as VolumeSnapshot, Volume, VolumeType } from './model.ts';
