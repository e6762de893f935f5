// A user in the format of the API, without the password.
import { naiveIsoOrNull } from '../../../../kernel/clock.ts';
import { grouped } from '../../../../kernel/db/grouping.ts';
import type { FederatedUser, User } from '../../model.ts';
import { linkTo, type View } from '../links.ts';
import type { Call } from '../../../../kernel/model.ts';

/** A user. The attribute default_project_id is absent if the user has none. */
export function userView(call: Call, user: User): View {
  return {
    ...user.extra,
    id: user.id,
    name: user.name,
    domain_id: user.domainId,
    enabled: user.enabled,
    ...(user.defaultProjectId === null ? {} : { default_project_id: user.defaultProjectId }),
    password_expires_at: naiveIsoOrNull(user.passwordExpiresAt),
    options: user.options,
    links: { self: linkTo(call, `users/${user.id}`) },
  };
}

/** A user with its names at identity providers, if it has any. Lists do not have these. */
export const userWithNames = (call: Call, user: User, names: readonly FederatedUser[]): View => ({
  ...userView(call, user),
  ...(names.length ? { federated: namesView(names) } : {}),
});

function namesView(names: readonly FederatedUser[]): object[] {
  const byProvider = grouped(names, ({ providerId }) => providerId);
  return [...byProvider].map(([providerId, own]) => ({
    idp_id: providerId,
    protocols: own.map(({ protocolId, uniqueId }) => ({
      protocol_id: protocolId,
      unique_id: uniqueId,
    })),
  }));
}
