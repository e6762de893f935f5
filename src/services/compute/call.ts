// The types of Compute's requests, handlers, actions and routes.
import type { Caller } from '../../kernel/auth/caller.ts';
import type * as model from '../../kernel/model.ts';
import type { Guest } from './domain/servers/guests.ts';
import type { ComputeVersion } from './versions.ts';

/** A request whose path may contain a project. */
export interface ProjectRequest extends model.TimedRequest {
  /** The project in the path, if it has one. Links in the reply contain it too. */
  urlProject?: string;
}

export interface ComputeCall extends model.Call<ComputeVersion> {
  /** Always set in a handler, because only the version documents can be read without a token. */
  caller: Caller;
  urlProject?: string;
  /**
   * The server of the request, if the Compute of another region runs it, and only its ports are in
   * this region.
   */
  guest?: Guest;
}

export type ComputeRoute = model.Route<ComputeVersion>;

export type Handler = (call: ComputeCall) => model.Reply | Promise<model.Reply>;

export type Actions = model.Actions<ComputeVersion>;

/** An action that exists only in a span of versions. */
export type SpannedAction = Exclude<model.Action<ComputeVersion>, model.Handler<ComputeVersion>>;
