// A call of Placement, and the flags of its routes.
import type { Call, Route } from '../../kernel/model.ts';
import type { PlacementVersion } from './versions.ts';

export interface PlacementRoute extends Route<PlacementVersion> {
  /** Does not check that the client accepts JSON. */
  readonly anyAccept?: boolean;
  /** The contract refuses a body before the provider in the path is looked up. */
  readonly schemaFirst?: boolean;
}

export interface PlacementCall extends Call<PlacementVersion> {
  route: PlacementRoute;
}
