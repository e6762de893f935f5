// A request of Volume, and the lines of its table.
import type { Call, Route } from '../../kernel/model.ts';
import type { VolumeVersion } from './versions.ts';

export interface VolumeRoute extends Route<VolumeVersion> {
  /** The names that the body of an action may have. */
  readonly actionNames?: readonly string[];
}

/** A request, and the project that its path named. */
export interface VolumeCall extends Call<VolumeVersion> {
  route: VolumeRoute;
  projectInPath?: string;
}
