// A request to Image, and the flags of its routes.
import type { Call, Route } from '../../kernel/model.ts';
import type { ImageVersion } from './versions.ts';

export interface ImageRoute extends Route<ImageVersion> {
  /** The request must have a JSON body. */
  readonly needsBody?: boolean;
}

export interface ImageCall extends Call<ImageVersion> {
  route: ImageRoute;
}
