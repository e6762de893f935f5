// The request that a gateway's handlers serve.
import type { Call, Reply, Route } from '../../kernel/model.ts';
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

/**
 * A handler of a gateway.
 * @param own the route of Nova or Cinder whose handler it replaces
 */
export type Handler = (call: GatewayCall, own: Route) => Promise<Reply>;

/** A JSON object. */
export type Json = Record<string, unknown>;
