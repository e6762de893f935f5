// A request of a gateway, and what its handlers are.
import type { Call, Reply } from '../../kernel/model.ts';
import type { OwnToken } from './clients/identity.ts';

export interface GatewayCall extends Call {
  /**
   * The path below the prefix as it came: the steps of Nova and Cinder take the project out of it.
   */
  asked?: string;
  /** The gateway's own token, once this request has needed it. */
  own?: Promise<OwnToken>;
}

export type Handler = (call: GatewayCall) => Promise<Reply>;

/** A JSON object. */
export type Json = Record<string, unknown>;
