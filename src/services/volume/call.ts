// The types of a call to Volume, and of its routes.
import type { Call, Route } from '../../kernel/model.ts';
import type { VolumeVersion } from './versions.ts';

export type VolumeRoute = Route<VolumeVersion>;

export interface VolumeCall extends Call<VolumeVersion> {
  /** The project in a path such as `/v3/{project_id}/volumes`, if it has one. */
  projectInPath?: string;
}
