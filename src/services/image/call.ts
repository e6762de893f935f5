// A request of Image, and the lines of its table.
import type { Call, Route } from '../../kernel/model.ts';
import type { ImageVersion } from './versions.ts';

export interface ImageRoute extends Route<ImageVersion> {
  /** Reads a body of JSON, and refuses to go without. */
  readonly reads?: boolean;
}

export interface ImageCall extends Call<ImageVersion> {
  route: ImageRoute;
}
