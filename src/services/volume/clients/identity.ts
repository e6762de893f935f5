// What Volume asks of Identity: whether a project exists.
import type { Context } from '../../../kernel/model.ts';
import * as identity from '../../identity/index.ts';

/** Whether there is such a project; without Keystone every name is one. */
export async function isProject(context: Context, id: string): Promise<boolean> {
  if (context.cloud.config.auth === 'noauth2') return true;
  return (await identity.findProject(context, id)) !== undefined;
}
