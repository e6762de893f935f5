// A request of Volume, and the lines of its route table.
import type { Call, Route } from '../../kernel/model.ts';
import type { VolumeVersion } from './versions.ts';

export type VolumeRoute = Route<VolumeVersion>;

export interface VolumeCall extends Call<VolumeVersion> {
  /** The project in `/v3/{project_id}/volumes`, where the path has one. */
  projectInPath?: string;
}
