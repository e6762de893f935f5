// The record of a new volume.
import { newUuid } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import { zone, type Volume, type VolumeType } from '../../model.ts';
import { isMultiattach } from '../types/types.ts';
import { projectOf } from '../visibility.ts';

/** The fields that each new volume has a value of its own for. */
type OwnFields = Pick<Volume, 'name' | 'description' | 'size' | 'status' | 'metadata'>;

/** A volume of the actor's project that is detached and on no host, but for its own fields. */
export const newVolume = (
  context: Context,
  type: VolumeType,
  own: OwnFields & Partial<Volume>,
): Volume => ({
  id: newUuid(),
  projectId: projectOf(context),
  userId: context.actor.userId,
  previousStatus: null,
  attachStatus: 'detached',
  migrationStatus: null,
  typeId: type.id,
  typeName: type.name,
  availabilityZone: zone,
  host: null,
  snapshotId: null,
  sourceVolid: null,
  groupId: null,
  isInConsistencyGroup: false,
  bootable: false,
  multiattach: isMultiattach(type),
  readonly: null,
  attachedMode: null,
  imageMetadata: {},
  encrypted: false,
  revision: 0,
  createdAt: context.now,
  updatedAt: null,
  attachments: [],
  ...own,
});
