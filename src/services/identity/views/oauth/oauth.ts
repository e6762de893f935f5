// Consumers and access tokens of OAuth in the format of the API.
import { isoMicros } from '../../../../kernel/clock.ts';
import type { AccessToken, Consumer, RequestToken, Role } from '../../model.ts';
import { roleView } from '../assignment/roles.ts';
import { linkTo, type View } from '../links.ts';
import type { Call } from '../../../../kernel/model.ts';

/** A consumer without its secret. */
export const consumerView = (call: Call, { id, description, extra }: Consumer): View => ({
  ...extra,
  id,
  description,
  links: { self: linkTo(call, `OS-OAUTH1/consumers/${id}`) },
});

/** A new token with its secret, as a form. */
export function tokenForm({ id, secret, expiresAt }: RequestToken | AccessToken): string {
  const form = `oauth_token=${id}&oauth_token_secret=${secret}`;
  return expiresAt === null ? form : `${form}&oauth_expires_at=${isoMicros(expiresAt)}`;
}

/** An access token without its secret. */
export function accessTokenView(
  call: Call,
  { id, consumerId, projectId, userId, expiresAt }: AccessToken,
): View {
  const self = linkTo(call, `users/${userId}/OS-OAUTH1/access_tokens/${id}`);
  return {
    id,
    consumer_id: consumerId,
    authorizing_user_id: userId,
    project_id: projectId,
    expires_at: expiresAt === null ? null : isoMicros(expiresAt),
    links: { self, roles: `${self}/roles` },
  };
}

/** A role of an access token; upstream leaves its description out. */
export const accessTokenRoleView = (call: Call, role: Role): View => {
  const fields = Object.entries(roleView(call, role)).filter(([name]) => name !== 'description');
  return Object.fromEntries(fields) as View;
};
