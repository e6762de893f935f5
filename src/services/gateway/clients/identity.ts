// What the gateways ask of Identity: a token of their own, for what a tenant may not do in a pod.
import type { Context } from '../../../kernel/model.ts';
import { serviceToken } from '../../identity/index.ts';

/** A token with the role admin, and its project. */
export interface OwnToken {
  readonly token: string;
  readonly projectId: string;
}

/** The gateways' own token. Who signs in without Keystone is taken at their word. */
export async function ownToken(context: Context): Promise<OwnToken> {
  const { cloud, now } = context;
  if (cloud.config.auth === 'noauth2') return { token: 'admin', projectId: 'admin' };
  const token = await serviceToken(context, 'tricircle');
  const caller = await cloud.authenticate(token, now);
  return { token, projectId: caller?.projectId ?? '' };
}
