// A request of Compute on its way: with what the URL said of the project.
import type { Call, Reply } from '../../kernel/http/reply.ts';
import type { Span } from '../../kernel/microversion.ts';
import type { ComputeVersion } from './versions.ts';

export interface ComputeCall extends Call<ComputeVersion> {
  /** The project in the path, where there was one: links have it too. */
  urlProject?: string;
}

export type Handler = (call: ComputeCall) => Reply | Promise<Reply>;

/** An action that not every version has. */
export interface SpannedAction {
  readonly span: Span<ComputeVersion>;
  readonly handler: Handler;
}

/** What the actions of a path do, by the one key of the body. */
export type Actions = Readonly<Record<string, Handler | SpannedAction>>;
