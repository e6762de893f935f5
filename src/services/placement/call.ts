// The types of Placement's calls and routes.
import type { Call, Route } from '../../kernel/model.ts';
import type { PlacementVersion } from './versions.ts';

export interface PlacementRoute extends Route<PlacementVersion> {
  /** Skips the check that the client accepts JSON. */
  readonly anyAccept?: boolean;
  /** Validates the body before it looks up the provider in the path. */
  readonly schemaFirst?: boolean;
}

export interface PlacementCall extends Call<PlacementVersion> {
  route: PlacementRoute;
}
