// Transfers in replies, at the version of the request.
import type { VolumeCall } from '../call.ts';
import type { Transfer } from '../model.ts';
import { linksOf } from './links.ts';
import { timeView } from './times.ts';

// On both paths, links lead to the older path.
export const transferSummary = (call: VolumeCall, { id, volumeId, name }: Transfer): object => ({
  id,
  volume_id: volumeId,
  name,
  links: linksOf(call, 'os-volume-transfer', id),
});

export const transferDetail = (call: VolumeCall, transfer: Transfer): object => ({
  ...transferSummary(call, transfer),
  created_at: timeView(transfer.createdAt),
  ...call.version.since('3.55', { no_snapshots: transfer.noSnapshots }),
  // Accepting a transfer deletes it, so these fields never change.
  ...call.version.since('3.57', {
    destination_project_id: null,
    source_project_id: transfer.sourceProjectId,
    accepted: false,
  }),
});
