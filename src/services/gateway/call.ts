// A request of a gateway, and what its handlers are.
import type { Call, Reply } from '../../kernel/model.ts';

export interface GatewayCall extends Call {
  /** The path below the prefix as it came: the steps of Nova and Cinder take the project out of it. */
  asked?: string;
}

export type Handler = (call: GatewayCall) => Promise<Reply>;

/** A JSON object. */
export type Json = Record<string, unknown>;
