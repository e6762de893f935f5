// What the gateways ask of Identity: a token of their own, for what a tenant may not do in a pod.
import type { Work } from '../../../kernel/model.ts';
import { serviceToken } from '../../identity/index.ts';

/** A token with the role admin. Who signs in without Keystone is taken at their word. */
export const ownToken = (work: Work): Promise<string> =>
  work.cloud.config.auth === 'noauth2' ? Promise.resolve('admin') : serviceToken(work, 'tricircle');
