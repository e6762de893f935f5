// The view of a project's preference for new volumes.
import type { VolumePlacement } from '../model.ts';

export const volumePlacementView = ({ projectId, localToInstance }: VolumePlacement): object => ({
  project_id: projectId,
  local_to_instance: localToInstance,
});
