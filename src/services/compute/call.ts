// A request of Compute, and what its handlers and actions are.
import type * as model from '../../kernel/model.ts';
import type { ComputeVersion } from './versions.ts';

export interface ComputeCall extends model.Call<ComputeVersion> {
  /** The project in the path, where there was one: links have it too. */
  urlProject?: string;
}

export type Handler = (call: ComputeCall) => model.Reply | Promise<model.Reply>;

export type Actions = model.Actions<ComputeVersion>;

/** An action that not every version has. */
export type SpannedAction = Exclude<model.Action<ComputeVersion>, model.Handler<ComputeVersion>>;
