// A request of Placement, and the lines of its table.
import type { Call, Route } from '../../kernel/model.ts';
import type { PlacementVersion } from './versions.ts';

export interface PlacementRoute extends Route<PlacementVersion> {
  /** Answers whatever the client accepts. */
  readonly anyAccept?: boolean;
  /** The body is held against the contract before the resource in the path is looked for. */
  readonly schemaFirst?: boolean;
}

export interface PlacementCall extends Call<PlacementVersion> {
  route: PlacementRoute;
}
