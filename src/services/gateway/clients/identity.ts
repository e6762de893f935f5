// Gets the gateways' own token from Identity, for requests that a tenant may not send to a pod.
import type { Context } from '../../../kernel/model.ts';
import { serviceToken } from '../../identity/index.ts';

/** A token with the role admin, and its project. */
export interface AdminToken {
  readonly token: string;
  readonly projectId: string;
}

/** Issues an admin token for the gateways. Without Keystone, the text `admin` is such a token. */
export async function issueAdminToken(context: Context): Promise<AdminToken> {
  const { cloud, now } = context;
  if (cloud.config.auth === 'noauth2') return { token: 'admin', projectId: 'admin' };
  const token = await serviceToken(context, 'tricircle');
  const caller = await cloud.authenticate(token, now);
  return { token, projectId: caller?.projectId ?? '' };
}
