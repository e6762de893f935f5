// The types of Tricircle's requests and routes.
import type { Call, Route } from '../../kernel/model.ts';
import type { TricircleVersion } from './versions.ts';

export type TricircleRoute = Route<TricircleVersion>;

export interface TricircleCall extends Call<TricircleVersion> {
  /** The object in the body; empty if there is no body, or if it is not an object. */
  body: Readonly<Record<string, unknown>>;
}
