// A request of Tricircle, and the lines of its table.
import type { Call, Route } from '../../kernel/model.ts';
import type { TricircleVersion } from './versions.ts';

export interface TricircleRoute extends Route<TricircleVersion> {
  /** What who may not do it is told. */
  readonly denied?: string;
}

export interface TricircleCall extends Call<TricircleVersion> {
  route: TricircleRoute;
  /** The object in the body; empty where there is none, or something else. */
  body: Readonly<Record<string, unknown>>;
  /** The path said by its suffix that JSON is wanted. */
  hasSuffix?: boolean;
}
