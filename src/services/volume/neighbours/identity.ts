// What Volume asks of Identity: whether a project exists.
import type { Work } from '../../../kernel/model.ts';
import * as identity from '../../identity/index.ts';

/** Whether there is such a project; without Keystone every name is one. */
export async function isProject(work: Work, id: string): Promise<boolean> {
  if (work.cloud.config.auth === 'noauth2') return true;
  return (await identity.findProject(work, id)) !== undefined;
}
