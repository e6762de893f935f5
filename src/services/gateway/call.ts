// The request that a gateway's handlers serve.
import type { Call, Reply } from '../../kernel/model.ts';
import type { AdminToken } from './clients/identity.ts';

export interface GatewayCall extends Call {
  /**
   * The request's path below the prefix, as the client sent it. The steps of Nova and Cinder remove
   * the project from `path`.
   */
  requestPath?: string;
  /** The gateway's admin token. A request gets at most one, when it first needs it. */
  adminToken?: Promise<AdminToken>;
}

export type Handler = (call: GatewayCall) => Promise<Reply>;

/** A JSON object. */
export type Json = Record<string, unknown>;
