// Calls of Identity: checks that a project exists, lists projects, and finds a Nova outside of this
// cloud.
import type { Context } from '../../../kernel/model.ts';
import * as identity from '../../identity/index.ts';

export { projectIds, remoteEndpoint, requestRemote } from '../../identity/index.ts';

/** Returns whether a project exists. Without Keystone, every name is a project. */
export async function isProject(context: Context, id: string): Promise<boolean> {
  if (context.cloud.config.auth === 'noauth2') return true;
  return (await identity.findProject(context, id)) !== undefined;
}
